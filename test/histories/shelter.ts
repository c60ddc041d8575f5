/**
 * The service in this process on a real SQLite file in memory, with the clock of the history. A crash leaves the files
 * as they are at that instant, on which a new service starts.
 */
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import pino from 'pino'
import type { Clock } from '../../src/common/clock.ts'
import type { BanPolicy, Counter } from '../../src/contract/limits.ts'
import type { Issuer } from '../../src/domain/keys.ts'
import { startPurging } from '../../src/service/purging.ts'
import { backUp } from '../../src/store/sqlite/maintenance/backup.ts'
import { verify } from '../../src/store/sqlite/maintenance/inspect.ts'
import { restore } from '../../src/store/sqlite/maintenance/restore.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/store.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { memoryFolder } from '../support/folder.ts'
import type { RawAnswer } from '../support/http.ts'
import { clockAt } from '../support/time/clock.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { animalsOf, seenIn } from './at-store.ts'
import { snapshotHere } from './in-this-thread.ts'
import { type By, Connection, type Place, type Seen } from './place.ts'

const QUIET = pino({ level: 'silent' })

interface ShelterOptions {
  readonly startMs: number
  readonly anonymousPerMinute: number
  readonly bodyLimit: number
  readonly ban: BanPolicy | undefined
  readonly randomBytes: (size: number) => Buffer
}

export class Shelter implements Place {
  readonly keysKeptMs = 0
  readonly clock: { nowMs: number }
  /** Of what the service does by itself: it passes in leaps. */
  readonly #hours = new VirtualClock()
  #stopping = new AbortController()
  #endPurging: () => Promise<void> = async () => {}
  #purged: Promise<unknown> | undefined
  /** Nothing takes time, on however busy a machine, so nothing is given up; timers are the system's. */
  readonly #time: Clock = { ...clockAt(() => this.clock.nowMs), monotonic: () => 0 }
  readonly #options: ShelterOptions
  readonly #backups = memoryFolder()
  #path = `${memoryFolder()}/pets.db`
  #app: TestApp | undefined
  #commands: SqliteStore | undefined
  readonly #connection = new Connection(() => this.#running.port)

  private constructor(options: ShelterOptions) {
    this.#options = options
    this.clock = { nowMs: options.startMs }
  }

  static async open(options: ShelterOptions): Promise<Shelter> {
    const shelter = new Shelter(options)
    await shelter.#start()
    return shelter
  }

  nowMs(): number {
    return this.clock.nowMs
  }

  ask(bytes: string, methods: readonly string[]): Promise<readonly RawAnswer[]> {
    return this.#connection.ask(bytes, methods)
  }

  async operator(by: By): Promise<Issuer> {
    if (by === 'cli') this.#commands ??= await openSqlite(this.#path, { serving: false, clock: this.#time })
    const store = by === 'cli' && this.#commands ? this.#commands : this.#running.store
    return { store, clock: this.#time, randomBytes: this.#options.randomBytes, who: 'a history' }
  }

  /** Lets so much time pass at once, as while a machine sleeps. Whether the service has purged meanwhile. */
  async leap(ms: number): Promise<boolean> {
    this.clock.nowMs += ms
    this.#purged = undefined
    this.#hours.leap(ms)
    await this.#purged
    return this.#purged !== undefined
  }

  async restart(): Promise<void> {
    await this.#stop()
    await this.#start()
  }

  async crash(): Promise<void> {
    const [before, folder] = [this.#path, memoryFolder()]
    await this.#closeCommands()
    this.#path = `${folder}/pets.db`
    // The log last: what is in it was written behind what is in the file.
    for (const end of ['', '-wal', '.serving'])
      if (existsSync(before + end)) copyFileSync(before + end, this.#path + end)
    await this.#stop()
    rmSync(dirname(before), { recursive: true, force: true })
    await this.#start()
  }

  async stored(): Promise<ReadonlyMap<string, Counter>> {
    const counters = await this.#running.store.archive.counters()
    return new Map([...counters].map(([subject, counter]) => [subject.replace(/^(key|address):/, ''), counter]))
  }

  beside(name: string): string {
    return `${this.#backups}/${name}`
  }

  async backUp(file: string): Promise<void> {
    await backUp(this.#path, file, { clock: this.#time }, snapshotHere)
  }

  async putBack(file: string): Promise<void> {
    await this.#stop()
    await restore(file, this.#path, { clock: this.#time, mayBeEmpty: true, onReturning: () => {} }, snapshotHere)
    await this.#start()
  }

  async exported(after?: bigint): Promise<readonly string[]> {
    return animalsOf(this.#running.store, after)
  }

  async seen(): Promise<Seen> {
    // A clean stop saves when each key was used last.
    await this.restart()
    const { damage } = await verify(this.#path)
    if (damage.length > 0) throw new Error(`the database is damaged: ${damage.join('; ')}`)
    return seenIn(this.#running.store)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop()
    for (const folder of [dirname(this.#path), this.#backups]) rmSync(folder, { recursive: true, force: true })
  }

  get #running(): TestApp {
    if (this.#app === undefined) throw new Error('the service does not run')
    return this.#app
  }

  async #start(): Promise<void> {
    const { anonymousPerMinute, bodyLimit, ban } = this.#options
    this.#app = await startApp({
      path: this.#path,
      time: this.clock,
      clock: this.#time,
      savesCounters: true,
      log: QUIET,
      trustProxy: ['127.0.0.1'],
      anonymousPerMinute,
      bodyLimit,
      ...(ban && { ban }),
    })
    const { records } = this.#app.store
    const purge: typeof records.purge = async (...asked) => {
      const purging = records.purge(...asked)
      this.#purged = purging
      return purging
    }
    const clock: Clock = { ...this.#hours, now: this.#time.now }
    const stores = { records: Object.assign(Object.create(records), { purge }) }
    this.#stopping = new AbortController()
    this.#endPurging = startPurging(stores, QUIET, clock, this.#stopping.signal)
  }

  async #stop(): Promise<void> {
    this.#connection[Symbol.dispose]()
    this.#stopping.abort()
    await this.#endPurging()
    await this.#closeCommands()
    await this.#app?.[Symbol.asyncDispose]()
    this.#app = undefined
  }

  async #closeCommands(): Promise<void> {
    await this.#commands?.close()
    this.#commands = undefined
  }
}
