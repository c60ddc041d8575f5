/** Opens a state with the program's own code, and says what is wrong with it. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { verify } from '../../src/store/sqlite/maintenance/inspect.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import { seenIn } from '../histories/at-store.ts'
import { emptyState } from '../model/operator.ts'
import {
  attempt,
  type Create,
  explain,
  labelOf,
  type Ran,
  type Seen,
  type State,
  shownPet,
  sourceOf,
} from '../strain/model.ts'
import { Finding } from '../support/part.ts'
import { patientClock } from '../support/time/clock.ts'
import type { Allowed, Course, Expectation } from './expectation.ts'

/** What a database holds; `damage` is why it is none, or what is wrong with it as such. */
interface Found {
  readonly damage: readonly string[]
  readonly seen: Seen
  readonly counted: number
  /** The id of an animal that is added now. */
  readonly nextId: bigint
}

/** More than a scene removes. */
const MOST_REMOVED = 10_000

/** What was found in files of the same bytes: many states of a disk have the same database. */
export type Memory = Map<string, Found>

/** A sentence for each thing that is wrong. `root` is the folder of the state; the database is `data/pets.db` in it. */
export async function judge(root: string, course: Course, memory: Memory): Promise<string[]> {
  const database = join(root, 'data/pets.db')
  const wrong = await compare(database, course.database(), memory)
  for (const [file, allowed] of course.backups()) wrong.push(...(await compare(join(root, file), allowed, memory)))
  if (course.showsKey && existsSync(database) && (await look(database, memory)).seen.keys.length > 0) {
    const shown = join(root, 'data/first-key')
    if (!existsSync(shown) || readFileSync(shown).length === 0) wrong.push('there is a first key, and nobody knows it')
  }
  const aside = course.aside()
  if (aside === undefined) return wrong
  const [kept] = globSync(`${database}.before-restore-*Z`)
  if (kept === undefined) return [...wrong, 'what the restore has set aside is gone']
  return [...wrong, ...(await compare(kept, [aside], memory))]
}

async function compare(path: string, allowed: Allowed, memory: Memory): Promise<string[]> {
  const name = basename(path)
  if (!existsSync(path)) return allowed.includes(undefined) ? [] : [`${name} is gone`]
  const found = await look(path, memory)
  // A database that nobody was told of yet may be an empty file.
  const answers = allowed.filter((one) => one !== undefined).map((one) => [...found.damage, ...differences(found, one)])
  if (answers.some((wrong) => wrong.length === 0)) return []
  return answers.flat().map((sentence) => `${name}: ${sentence}`)
}

async function look(path: string, memory: Memory): Promise<Found> {
  const hash = createHash('sha1')
  for (const file of readdirSync(dirname(path))
    .filter((file) => file.startsWith(basename(path)))
    .sort()) {
    hash.update(`${file}\n`).update(readFileSync(join(dirname(path), file)))
  }
  const key = hash.digest('base64')
  const known = memory.get(key)
  if (known !== undefined) return known
  const found = await open(path)
  memory.set(key, found)
  return found
}

async function open(path: string): Promise<Found> {
  const damage: string[] = []
  let seen: Seen = { animals: [], journal: [], keys: [], imports: [] }
  let counted = 0
  let nextId = 0n
  try {
    // As a start of the service claims it, and brings it up to date.
    const store = await openSqlite(path, { serving: false, clock: patientClock, alone: true })
    try {
      const { animals, journal, keys, imports } = await seenIn(store)
      seen = {
        animals: animals.map(shownPet),
        removed: await store.records.find({ text: '', status: 'removed', limit: MOST_REMOVED }),
        journal: journal.map(({ atMs = 0, ...entry }) => JSON.stringify({ at: new Date(atMs), ...entry })),
        keys: keys.map(({ id, label, isRevoked }) => ({ id, label, state: isRevoked ? 'revoked' : 'active' })),
        imports,
      }
      for (const { dayCount } of (await store.archive.counters()).values()) counted += dayCount
      nextId = BigInt((await store.pets.create({ name: 'after the failure', categoryId: 1n })).id)
    } finally {
      await store.close()
    }
    damage.push(...(await verify(path)).damage)
  } catch (error) {
    damage.push(error instanceof Error ? error.message : String(error))
  }
  return { damage, seen, counted, nextId }
}

function differences({ damage, seen, counted, nextId }: Found, expected: Expectation): string[] {
  const wrong: string[] = []
  const marks = [...expected.values()]
  const commands = (ofEarlier: boolean) =>
    marks.flatMap(({ act, phase }): Ran[] => {
      if (!('step' in act) || act.isOfEarlierVersion !== ofEarlier) return []
      return [{ ...act, outcome: phase === 'done' ? 'acknowledged' : 'cut', stdout: '', startMs: 0, endMs: 0 }]
    })
  const creates = marks.flatMap(({ act, phase, id }): Create[] =>
    'create' in act ? [{ name: act.create, categoryId: 1, id: phase === 'done' ? id : undefined, endMs: 0 }] : [],
  )
  for (const { act, phase } of marks) {
    if (phase === 'begun' || !('count' in act) || counted >= act.count) continue
    wrong.push(`${counted} requests are counted, and ${act.count} should be`)
  }
  try {
    const { has } = explain(leftBy(commands(true), seen), seen, commands(false), creates)
    if (damage.length === 0 && has.given.has(nextId)) wrong.push(`the id ${nextId} is given a second time`)
  } catch (error) {
    if (!(error instanceof Finding)) throw error
    wrong.push(error.message)
  }
  return wrong
}

/** The state on which the journal begins: what an earlier version has left, which had none. */
function leftBy(earlier: readonly Ran[], seen: Seen): State {
  let has = emptyState()
  for (const ran of earlier) {
    const source = sourceOf(ran.step)
    const key = seen.keys.find(({ label }) => label === labelOf(ran.step))?.id
    const isThere = key !== undefined || seen.animals.some(({ name }) => name.startsWith(source))
    if (ran.outcome === 'cut' && !isThere) continue
    const { after } = attempt(has, ran, { atMs: 0, act: '', key, to: JSON.stringify({ source }) }, seen) ?? {}
    // No import of 1.0.0 has a number.
    if (after !== undefined) has = { ...after, journal: [], imports: new Map() }
  }
  return { has, journal: [] }
}
