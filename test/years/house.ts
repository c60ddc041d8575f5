/**
 * The service as it starts, with its ports, its office, its purges and its backups by itself, in this process on a
 * SQLite file in memory, on a clock on which time passes only when nothing is under way. Commands have a store of
 * their own on the same file, as commands do.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pino from 'pino'
import { type Clock, HOUR_MS } from '../../src/common/clock.ts'
import type { BanPolicy } from '../../src/contract/limits.ts'
import { type Service, startService } from '../../src/service/service.ts'
import { SqliteStore } from '../../src/store/sqlite/store.ts'
import { verify } from '../../src/store/sqlite/upkeep/verify.ts'
import { type RawAnswer, RawClient } from '../forms/answers.ts'
import { animalsOf, operatorAt, seenIn } from '../histories/at-store.ts'
import type { Place, Seen } from '../histories/place.ts'
import { memoryFolder } from '../support/folder.ts'
import { clockAt } from '../support/time/clock.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

/** Acts of which no history knows. */
const OF_PEOPLE = new Set(['invite', 'accept invitation', 'reset passphrase'])
const DEADLINE_MS = 60_000
/** What a process has open while a write is gathered or made, or a file or another process is waited for. */
const UNDER_WAY = new Set(['Immediate', 'MessagePort', 'ProcessWrap', 'FSReqCallback', 'FSReqPromise'])
/** What has ended may begin something else in the turn after it. */
const QUIET_TURNS = 3

interface HouseOptions {
  readonly startMs: number
  readonly anonymousPerMinute: number
  readonly bodyLimit: number
  readonly ban: BanPolicy
  readonly backups: { readonly everyMs: number; readonly keep: number }
  readonly randomBytes: (size: number) => Buffer
  /** Told at the instant at which the service purges, and at which it forgets counts that no longer matter. */
  readonly onPurge: () => void
  readonly onSweep: () => void
  /** Told of each answer, and each sentence of the service's log. */
  readonly onAnswer: (answer: RawAnswer) => void
  readonly onLog: (sentence: string) => void
}

export class House implements Place {
  readonly keysKeptMs = 0
  /** What the service has done by itself, and when it made a backup last, by the monotonic time. */
  readonly done = { purges: 0, sweeps: 0, backedUpAtMs: 0 }
  readonly clock: VirtualClock
  readonly #options: HouseOptions
  readonly #folder = memoryFolder()
  readonly #path = `${this.#folder}/pets.db`
  /** A command waits for its own pauses by the system's clock: they are some ms, and part of no trace. */
  readonly #commanding: Clock
  #service: Service | undefined
  #commands: SqliteStore | undefined
  #client: RawClient | undefined

  private constructor(options: HouseOptions) {
    this.#options = options
    this.clock = new VirtualClock(options.startMs)
    this.#commanding = clockAt(this.clock.now)
  }

  static async open(options: HouseOptions): Promise<House> {
    const house = new House(options)
    await house.#start()
    return house
  }

  nowMs(): number {
    return this.clock.nowMs
  }

  /**
   * Lets so much time pass, and waits for what it has set off. It passes at once, as while a machine sleeps: otherwise
   * a write that is due in the middle of it would wait for the rest.
   */
  async pass(ms: number): Promise<void> {
    this.clock.leap(ms)
    await this.settled()
  }

  /** Nothing of what the service does by itself is under way any more. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      if (process.getActiveResourcesInfo().some((resource) => UNDER_WAY.has(resource))) quiet = -1
      await nextTurn()
    }
  }

  async ask(bytes: string, methods: readonly string[]): Promise<readonly RawAnswer[]> {
    this.#client ??= new RawClient(Number(new URL(this.#running.baseUrl).port))
    await this.#client.send(bytes)
    const answers: RawAnswer[] = []
    for (const method of methods) {
      const answer = await this.#client.answer(method === 'HEAD', DEADLINE_MS)
      if (answer === undefined) break
      answers.push(answer)
      this.#options.onAnswer(answer)
      if (!/close/i.test(answer.headers.get('connection') ?? '')) continue
      this.#hangUp()
      break
    }
    await this.settled()
    return answers
  }

  get operatorUrl(): string {
    return this.#running.operatorUrl ?? ''
  }

  async store(): Promise<SqliteStore> {
    this.#commands ??= await SqliteStore.open(this.#path, { serving: false, clock: this.#commanding })
    return this.#commands
  }

  operator() {
    const { bodyLimit, randomBytes } = this.#options
    return operatorAt(() => this.store(), { clock: this.#commanding, bodyLimit, randomBytes })
  }

  async restart(): Promise<void> {
    await this.#stop()
    await this.#start()
  }

  async crash(): Promise<void> {
    throw new Error('in years nothing crashes: that is what histories are for')
  }

  /** The names of the backups, oldest first. */
  backups(): readonly string[] {
    return existsSync(this.#backups) ? readdirSync(this.#backups).sort() : []
  }

  async exported(after?: bigint): Promise<readonly string[]> {
    return animalsOf(await this.store(), after)
  }

  async seen(): Promise<Seen> {
    // A clean stop saves when each key was used last.
    await this.restart()
    for (const file of [this.#path, ...this.backups().map((name) => `${this.#backups}/${name}`)]) {
      const { damage } = verify(file)
      if (damage.length > 0) throw new Error(`${file} is damaged: ${damage.join('; ')}`)
    }
    const { journal, ...rest } = await seenIn(await this.store())
    return { ...rest, journal: journal.filter(({ act }) => !OF_PEOPLE.has(act)) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #backups(): string {
    return `${this.#folder}/backups`
  }

  get #running(): Service {
    if (this.#service === undefined) throw new Error('the service does not run')
    return this.#service
  }

  async #start(): Promise<void> {
    const { anonymousPerMinute, bodyLimit, ban, backups, onLog } = this.#options
    const log = pino(
      { level: 'info' },
      {
        write: (line) => {
          const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } }
          if (msg.startsWith('backup made')) this.done.backedUpAtMs = this.clock.monotonic()
          onLog(`${msg}${err === undefined ? '' : ` (${err.message})`}`.replaceAll(this.#folder, ''))
        },
      },
    )
    const config = {
      ...{ host: '127.0.0.1', port: 0, operatorHost: '127.0.0.1', operatorPort: 0 },
      ...{ database: `sqlite:${this.#path}`, fileGroup: undefined, counters: undefined },
      mustExist: false,
      countersDown: 'local' as const,
      office: { url: undefined, isTls: false, first: undefined },
      ...{ anonymousPerMinute, bodyLimit, ban, warnAt: undefined, heldBytes: 67_108_864, trustProxy: ['127.0.0.1'] },
      ...{ tls: undefined, publicUrl: undefined, showFirstKey: undefined },
      ...{ pages: false, pageLinks: false, corsOrigins: [] },
      page: undefined,
      backups: { ...backups, folder: this.#backups, fileGroup: undefined },
      timeouts: { headersMs: 600_000, requestMs: 600_000, unreadMs: 30_000 },
    }
    this.#service = await startService(config, log, this.#told())
    await this.settled()
  }

  /** The clock, which tells when the service does by itself what the model has to do as well. */
  #told(): Clock {
    const { onPurge, onSweep } = this.#options
    const purging = () => {
      this.done.purges += 1
      onPurge()
    }
    const sweeping = () => {
      this.done.sweeps += 1
      onSweep()
    }
    const toldOf = new Map<() => void, () => void>()
    const telling = (task: () => void, tell: () => void) => {
      const both = () => {
        tell()
        task()
      }
      toldOf.set(task, both)
      return both
    }
    return {
      ...this.clock,
      every: (ms, task) => {
        if (ms === HOUR_MS) return this.clock.every(ms, telling(task, purging))
        return this.clock.every(ms, ms === 60_000 ? telling(task, sweeping) : task)
      },
      // The first purge comes sooner.
      after: (ms, task) => this.clock.after(ms, toldOf.get(task) ?? task),
    }
  }

  async #stop(): Promise<void> {
    this.#hangUp()
    await this.#commands?.close()
    this.#commands = undefined
    await this.#service?.stop()
    this.#service = undefined
  }

  #hangUp(): void {
    this.#client?.[Symbol.dispose]()
    this.#client = undefined
  }
}
