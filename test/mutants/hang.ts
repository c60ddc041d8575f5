/**
 * A mutant may loop without end, and then no timer of its thread is called. Another thread looks: where the event loop
 * has not turned while the process computed for some seconds, it notes the mutant and ends the process. StrykerJS
 * starts another one and shows it the same mutant, which is then known.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

const NOTE = '.hung'
const TURN_MS = 50
const LOOK_MS = 250
/** In µs of computing, so that no busy machine is taken for a loop. */
const MOST_US = 20_000_000
const NO_MUTANT = -1

/** Of the thread that is watched: the number of its turns, and of the mutant. */
type Watched = Int32Array<SharedArrayBuffer>

export class HangWatch {
  readonly #watched: Watched = new Int32Array(new SharedArrayBuffer(8))

  constructor() {
    Atomics.store(this.#watched, 1, NO_MUTANT)
    new Worker(new URL(import.meta.url), { workerData: this.#watched }).unref()
    setInterval(() => Atomics.add(this.#watched, 0, 1), TURN_MS).unref()
  }

  /** Whether this mutant has hung before. */
  begin(mutant: string): boolean {
    Atomics.store(this.#watched, 1, Number(mutant))
    if (!existsSync(NOTE) || readFileSync(NOTE, 'utf8') !== mutant) return false
    rmSync(NOTE)
    return true
  }
}

if (!isMainThread) {
  const watched = workerData as Watched
  let turns = -1
  let sinceUs = 0
  setInterval(() => {
    const { user, system } = process.cpuUsage()
    if (watched[0] !== turns || watched[1] === NO_MUTANT) {
      turns = Atomics.load(watched, 0)
      sinceUs = user + system
    } else if (user + system - sinceUs > MOST_US) {
      writeFileSync(NOTE, String(Atomics.load(watched, 1)))
      process.kill(process.pid, 'SIGKILL')
    }
  }, LOOK_MS)
}
