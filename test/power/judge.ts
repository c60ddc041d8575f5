/** Opens a state with the program's own code, and says what is wrong with it. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemClock } from '../../src/common/system-clock.ts'
import { verify } from '../../src/store/sqlite/maintenance/inspect.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import type { Allowed, Course, Expectation } from './expectation.ts'

/** What a database holds; `damage` is why it is none, or what is wrong with it as such. */
interface Found {
  readonly damage: readonly string[]
  readonly animals: ReadonlySet<string>
  /** Labels, and whether they are revoked. */
  readonly keys: ReadonlyMap<string, boolean>
  readonly counted: number
  /** The id of an animal that is added now. */
  readonly nextId: number
}

/** What was found in files of the same bytes: many states of a disk have the same database. */
export type Memory = Map<string, Found>

/** A sentence for each thing that is wrong. `root` is the folder of the state; the database is `data/pets.db` in it. */
export async function judge(root: string, course: Course, memory: Memory): Promise<string[]> {
  const database = join(root, 'data/pets.db')
  const wrong = await compare(database, course.database(), memory)
  for (const [file, allowed] of course.backups()) wrong.push(...(await compare(join(root, file), allowed, memory)))
  if (course.showsKey && existsSync(database) && (await look(database, memory)).keys.size > 0) {
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
  const animals = new Set<string>()
  const keys = new Map<string, boolean>()
  let counted = 0
  let nextId = 0
  try {
    // As a start of the service claims it, and brings it up to date.
    const store = await openSqlite(path, { serving: false, clock: systemClock, alone: true })
    try {
      for await (const rows of store.pets.export()) for (const { name } of rows) animals.add(name)
      for (const { label, revokedAtMs } of await store.keys.list({ limit: 1_000 }))
        keys.set(label, revokedAtMs !== undefined)
      for (const { dayCount } of (await (await store.archive()).usages()).values()) counted += dayCount
      nextId = Number((await store.pets.create({ name: 'after the failure', categoryId: 1n })).id)
    } finally {
      await store.close()
    }
    damage.push(...verify(path).damage)
  } catch (error) {
    damage.push(error instanceof Error ? error.message : String(error))
  }
  return { damage, animals, keys, counted, nextId }
}

/** `NAME.n` is an animal of an import whose prefix is NAME. */
function differences(found: Found, expected: Expectation): string[] {
  const wrong: string[] = []
  const { animals, imports, keys, counted, lastId } = expected
  const byImport = new Map<string, number>()
  for (const name of found.animals) {
    const prefix = name.split('.', 1)[0] ?? ''
    if (imports.has(prefix)) byImport.set(prefix, (byImport.get(prefix) ?? 0) + 1)
    else if ((animals.get(name) ?? 'gone') === 'gone') wrong.push(`nobody added the animal ${name}`)
  }
  for (const [name, is] of animals) {
    if (is === 'there' && !found.animals.has(name)) wrong.push(`the animal ${name} is lost`)
  }
  for (const [prefix, { animals: all, is }] of imports) {
    const count = byImport.get(prefix) ?? 0
    const isWhole = is === 'there' ? count === all : is === 'gone' ? count === 0 : count === 0 || count === all
    if (!isWhole) wrong.push(`${count} of the ${all} animals of the import ${prefix} are there; it is ${is}`)
  }
  for (const [label, { issued, revoked }] of keys) {
    const isRevoked = found.keys.get(label)
    if (issued === 'there' && isRevoked === undefined) wrong.push(`the key ${label} is lost`)
    if (revoked === 'there' && isRevoked === false) wrong.push(`the key ${label} is in force again`)
    if (revoked === 'gone' && isRevoked === true) wrong.push(`nobody revoked the key ${label}`)
  }
  for (const label of found.keys.keys()) if (!keys.has(label)) wrong.push(`nobody issued the key ${label}`)
  if (found.counted < counted) wrong.push(`${found.counted} requests are counted, and ${counted} should be`)
  if (found.damage.length === 0 && found.nextId <= lastId) wrong.push(`the id ${found.nextId} is given a second time`)
  return wrong
}
