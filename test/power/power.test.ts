/**
 * What was acknowledged is there after a power failure: the real service and the real commands are recorded, and the
 * power fails at hundreds of points of the records. What these tests can tell is shown by records from which syncs are
 * missing.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Act } from '../strain/plan.ts'
import { historyNeeded } from '../support/earlier.ts'
import { memoryFolder } from '../support/folder.ts'
import { newSeed, seededRandom } from '../support/random.ts'
import type { Mark } from './expectation.ts'
import { type Failure, failAt, failures, hardest, middles } from './fail.ts'
import { type Entry, type Recording, recordNeeded } from './record.ts'
import { record, SCENES } from './scenes.ts'

/** In each of the four records, besides the hardest. */
const STATES = 50

const recordings = new Map<string, Promise<Recording>>()
after(async () => {
  for (const recording of recordings.values()) (await recording)[Symbol.dispose]()
})

function recorded(scene: string): Promise<Recording> {
  const known = recordings.get(scene) ?? record(scene)
  recordings.set(scene, known)
  return known
}

async function fail(recording: Recording, entries: readonly Entry[], chosen: readonly Failure[], seed: number) {
  return failAt(chosen, entries, { recorded: recording.folder, scratch: memoryFolder(), random: seededRandom(seed) })
}

describe('a power failure', recordNeeded, () => {
  for (const scene of Object.keys(SCENES)) {
    const needed = scene === 'migration' ? historyNeeded : {}
    it(
      `at any point of the scene "${scene}" leaves what was acknowledged, whole, and a database that opens`,
      needed,
      async () => {
        const recording = await recorded(scene)
        const entries = recording.entries()
        const seed = newSeed()
        const { violation, states, distinct } = await fail(
          recording,
          entries,
          failures(entries, STATES, seededRandom(seed)),
          seed,
        )
        assert.equal(violation, undefined, `seed ${seed}: ${violation}`)
        assert(states >= STATES)
        assert(distinct > STATES / 10, `enough to tell: ${distinct} different databases`)
      },
    )
  }
})

interface Needed {
  readonly what: string
  readonly scene: string
  /** The end of the path that is synced. */
  readonly path: RegExp
  /** Only while this is under way. */
  readonly during?: Act
  readonly failures: (entries: readonly Entry[]) => readonly Failure[]
}

/** Syncs that the program has to make, or SQLite for it. */
const NEEDED: readonly Needed[] = [
  { what: 'of the log', scene: 'service', path: /\/data\/pets\.db-wal$/, failures: hardest },
  { what: 'of the log of a command', scene: 'commands', path: /\/data\/pets\.db-wal$/, failures: middles },
  { what: 'of the log of a database of 1.0.0', scene: 'migration', path: /\/data\/pets\.db-wal$/, failures: middles },
  { what: 'of the database, into which the log is copied', scene: 'service', path: /\/pets\.db$/, failures: hardest },
  { what: 'of the folder in which the database is new', scene: 'service', path: /\/data$/, failures: hardest },
  { what: 'of the folder in which that folder is new', scene: 'service', path: /\/disk$/, failures: hardest },
  { what: 'of a backup before it has its name', scene: 'commands', path: /\.partial$/, failures: hardest },
  { what: 'of the folder of a backup', scene: 'commands', path: /\/saved$/, failures: hardest },
  { what: 'of what a restore puts in place', scene: 'commands', path: /\.restoring$/, failures: hardest },
  { what: 'of the folder of a restore', scene: 'commands', path: /\/data$/, during: 'restore', failures: hardest },
]

/** Where the command begins, and where it is done. */
function spanOf(command: Act, entries: readonly Entry[]): readonly number[] {
  return entries.flatMap((entry, index) => {
    if (entry.kind !== 'mark') return []
    const { act } = entry.mark as Mark
    return 'step' in act && act.step.act === command ? [index] : []
  })
}

function without({ path, during }: Needed, entries: readonly Entry[]): readonly Entry[] {
  const [begun = 0, done = entries.length] = during === undefined ? [] : spanOf(during, entries)
  return entries.filter((entry, n) => n < begun || done < n || entry.kind !== 'sync' || !path.test(entry.path))
}

/** All failures while an import is undone, which take with them all that was not synced. */
function duringUndo(entries: readonly Entry[]): readonly Failure[] {
  const [begun = 0, done = 0] = spanOf('undo', entries)
  return Array.from({ length: done - begun }, (_, n) => ({ at: begun + n + 1, mode: 'nothing' }))
}

/** Programs that differ from this one by lines of JavaScript. */
const FAULTS = [
  {
    what: 'synchronous=NORMAL',
    scene: 'service',
    code: `
      import { DatabaseSync } from 'node:sqlite'
      const { exec } = DatabaseSync.prototype
      DatabaseSync.prototype.exec = function (sql) { return exec.call(this, sql.replace('synchronous = FULL', 'synchronous = NORMAL')) }`,
    failures: hardest,
    sentence: /is lost|not in the journal/,
  },
  {
    what: 'a mark of an undo in a transaction of its own',
    scene: 'commands',
    code: `
      import { DatabaseSync } from 'node:sqlite'
      const { prepare } = DatabaseSync.prototype
      DatabaseSync.prototype.prepare = function (sql, ...options) {
        const statement = prepare.call(this, sql, ...options)
        if (!sql.startsWith('UPDATE imports SET undone_at_ms')) return statement
        const all = (...values) => {
          const rows = statement.all(...values)
          this.exec('COMMIT; BEGIN IMMEDIATE')
          return rows
        }
        return { all }
      }`,
    failures: duringUndo,
    sentence: /import 1 is marked as undone, and the journal says otherwise/,
  },
]

describe('a record', recordNeeded, () => {
  for (const needed of NEEDED) {
    const { what, scene, failures } = needed
    it(`without the syncs ${what} is found out`, scene === 'migration' ? historyNeeded : {}, async () => {
      const recording = await recorded(scene)
      const entries = recording.entries()
      const left = without(needed, entries)
      assert(left.length < entries.length, 'there are such syncs')
      const { violation, states } = await fail(recording, left, failures(left), 1)

      assert.notEqual(violation, undefined, `${states} states, and nothing was found`)
    })
  }

  for (const { what, scene, code, failures, sentence } of FAULTS) {
    it(`of a program with ${what} is found out`, async () => {
      const preloaded = Buffer.from(code).toString('base64')
      using recording = await record(scene, { NODE_OPTIONS: `--import data:text/javascript;base64,${preloaded}` })
      const entries = recording.entries()
      const { violation } = await fail(recording, entries, failures(entries), 1)
      assert.match(String(violation), sentence)
    })
  }
})
