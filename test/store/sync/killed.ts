/** Acts that are killed before one of their statements leave the state before or after, and work when repeated. */
import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open.ts'
import { type Store, StoreUnavailable } from '../../../src/store/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { seededRandom } from '../../support/random.ts'
import type { Databases } from '../../support/servers/postgres.ts'
import { startProgram } from '../../support/service.ts'
import { patientClock } from '../../support/time/clock.ts'
import { everythingOf } from './everything.ts'
import { ACTS } from './lists.ts'

const CHILD = `${import.meta.dirname}/killed-process.ts`

interface Copies {
  make(url: string): Promise<string>
  drop(url: string): Promise<void>
}

export async function assertWholeOrNothing(
  act: keyof typeof ACTS,
  first: string,
  copies: Copies,
  most: number,
  seed: number,
): Promise<void> {
  const stateOf = (url: string) => withStore(url, everythingOf)
  await withStore(first, ACTS[act].prepare)
  const before = await stateOf(first)
  const whole = await copies.make(first)
  const statements = await killBefore(act, whole, undefined)
  const after = await stateOf(whole)
  assert.notDeepEqual(after, before)
  const points = Math.min(most, statements)
  for (let n = 0; n < points; n += 1) {
    const url = await copies.make(first)
    const at = 1 + Math.floor(((n + seededRandom(seed + n)()) / points) * statements)
    await killBefore(act, url, at)
    const left = await stateOf(url)
    const isWhole = left.journal.length === after.journal.length
    assert.deepEqual(left, isWhole ? after : before, `killed before statement ${at} of ${statements}`)
    await withStore<unknown>(url, ACTS[act].run)
    assert.deepEqual(withoutIds(await stateOf(url)), withoutIds(after), `after it was killed before statement ${at}`)
    await copies.drop(url)
  }
}

/** PostgreSQL gives no number twice, also of what was never committed. */
function withoutIds({ animals, journal, undone }: Awaited<ReturnType<typeof everythingOf>>) {
  return { animals: Object.values(animals), acts: journal.map(({ act }) => act), undone }
}

/** Copies of SQLite files that no process has open. */
export const copiesOfFiles: Copies = {
  make: async (url) => {
    const path = join(temporaryFolder(), 'pets.db')
    copyFileSync(url.slice('sqlite:'.length), path)
    return `sqlite:${path}`
  },
  drop: async (url) => rmSync(url.slice('sqlite:'.length)),
}

export function copiesIn(server: Databases): Copies {
  return { make: (url) => server.createDatabase(url), drop: (url) => server.dropDatabase(url) }
}

/** `work` can be done again: on a machine that is busy with other tests a connection may take too long. */
async function withStore<T>(url: string, work: (store: Store) => Promise<T>, tries = 5): Promise<T> {
  const store = await openStore(url, { serving: false, clock: patientClock })
  try {
    return await work(store)
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || tries === 1) throw error
  } finally {
    await store.close()
  }
  return withStore(url, work, tries - 1)
}

/** Resolves to the number of statements of an act that is not killed. */
async function killBefore(act: string, url: string, statement: number | undefined): Promise<number> {
  const line = [process.execPath, CHILD, url, String(statement ?? 0), act]
  const { process: child, ended, stdout, stderr } = startProgram(line)
  const how = [await ended, child.signalCode]
  assert.deepEqual(how, statement === undefined ? [0, null] : [null, 'SIGKILL'], stderr())
  return Number(stdout())
}
