/**
 * The operator's commands over many animals in a file: finding by a part of the name, and a thousand new statuses at
 * once.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../../src/common/system-clock.ts'
import { openStore } from '../../src/store/open.ts'
import { writeCsv } from '../animals.ts'
import { median } from './throughput.ts'

export interface RecordTimes {
  readonly animals: number
  /** A warm search by the index, in ms: the slowest of the texts, each at its median. */
  readonly findMs: number
  /** The whole command `set-status` with a thousand ids, its start included, in ms. */
  readonly setStatusMs: number
}

const ANIMALS = 1_000_000
const IDS = 1_000
/** Common, rare, in the middle of a name, and in none. */
const TEXTS = ['rex', 'captain 77', 'iscui', 'no such name']
const RUNS = 21

export async function measureRecords(workFolder: string): Promise<RecordTimes> {
  const csv = join(workFolder, 'records.csv')
  const database = `sqlite:${join(workFolder, 'records.db')}`
  await writeCsv(csv, ANIMALS)
  await pets(['import', csv, '--database', database])
  await rm(csv)
  const store = await openStore(database, { serving: false, clock: systemClock })
  let findMs = 0
  try {
    for (const text of TEXTS) {
      const samples: number[] = []
      const find = () => store.records.find({ text, status: undefined, limit: 20 })
      await find() // which brings the index up to date
      for (let run = 0; run < RUNS; run += 1) {
        const startMs = performance.now()
        await find()
        samples.push(performance.now() - startMs)
      }
      findMs = Math.max(findMs, median(samples))
    }
  } finally {
    await store.close()
  }
  const ids = Array.from({ length: IDS }, (_, n) => `${1 + n * Math.floor(ANIMALS / IDS)}\n`).join('')
  const startMs = performance.now()
  await pets(['set-status', 'sold', '-', '--database', database], ids)
  return { animals: ANIMALS, findMs, setStatusMs: performance.now() - startMs }
}

async function pets(args: readonly string[], input = ''): Promise<void> {
  const cli = join(import.meta.dirname, '../../src/cli/pets.ts')
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`pets ${args[0]} ended with ${code}`)
}
