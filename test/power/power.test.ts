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

function without({ path, during }: Needed, entries: readonly Entry[]): readonly Entry[] {
  let isUnderWay = during === undefined
  return entries.filter((entry) => {
    if (entry.kind === 'mark' && during !== undefined) {
      const { act, phase } = entry.mark as Mark
      isUnderWay = 'step' in act && act.step.act === during && phase === 'begun'
    }
    return !(isUnderWay && entry.kind === 'sync' && path.test(entry.path))
  })
}

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

  it('of a database with synchronous=NORMAL is found out', async () => {
    const preloaded = `
      import { DatabaseSync } from 'node:sqlite'
      const { exec } = DatabaseSync.prototype
      DatabaseSync.prototype.exec = function (sql) { return exec.call(this, sql.replace('synchronous = FULL', 'synchronous = NORMAL')) }`
    const code = Buffer.from(preloaded).toString('base64')
    using recording = await record('service', { NODE_OPTIONS: `--import data:text/javascript;base64,${code}` })
    const entries = recording.entries()
    const { violation } = await fail(recording, entries, hardest(entries), 1)
    assert.match(String(violation), /is lost|not in the journal/)
  })
})
