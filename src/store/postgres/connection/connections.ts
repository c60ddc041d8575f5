/** Connections, and bounded pools that adapt to what the server allows. */
import { Socket } from 'node:net'
import { type ClientConfig, Client as PgClient, Pool, type PoolClient } from 'pg'
import { type Clock, within } from '../../../common/clock.ts'
import { StoreUnusable } from '../../store.ts'
import { NoAnswer, sqlState } from './errors.ts'

const GROW_AGAIN_MS = 1_000

/** `withinMs`: time limit for a connection, new or from the pool. */
export interface PoolLimits {
  readonly max: number
  readonly withinMs: number
  readonly idleTimeoutMillis: number
}

/** A pool that waits by the clock that is passed in. pg's own limits use the system's clock. */
export class Connections {
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #withinMs: number

  /** Drops an idle connection that breaks. The next statement on a busy one fails. */
  constructor(config: ClientConfig, clock: Clock, { withinMs, ...size }: PoolLimits) {
    const Client = class extends TimedClient {
      constructor() {
        super(config, clock, withinMs)
      }
    }
    this.#pool = new Pool({ ...config, ...size, Client })
      .on('error', ignore)
      .on('connect', (client) => void client.on('error', ignore))
    this.#clock = clock
    this.#withinMs = withinMs
  }

  /** In the order of requests. If the server refuses more, the pool waits for its own and grows again later. */
  async take(): Promise<PoolClient> {
    try {
      return await this.#connect()
    } catch (error) {
      const { options, totalCount } = this.#pool
      if (sqlState(error) !== '53300' || totalCount === 0) throw error
      const { max } = options
      options.max = 1
      const grow = () => {
        options.max = max
      }
      if (max > 1) this.#clock.after(GROW_AGAIN_MS, grow).unref()
      return this.#connect()
    }
  }

  #connect(): Promise<PoolClient> {
    const { idleCount, waitingCount, totalCount, options } = this.#pool
    const connecting = this.#pool.connect()
    if (waitingCount < idleCount || (idleCount === 0 && totalCount < options.max)) return connecting
    return within(this.#clock, this.#withinMs, connecting, () => {
      void connecting.then((client) => client.release(), ignore)
      throw new NoAnswer('it is busy: no connection was free in time.', connecting)
    })
  }

  dropIdle(): void {
    for (let remaining = this.#pool.idleCount; remaining > 0; remaining -= 1) {
      this.#pool.connect().then((client) => client.release(true), ignore)
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}

export function ignore(): void {}

const NO_PASSWORD = /client password must be a (?:non-empty )?string/

/** Explains the error. pg leaves a connection open that fails during sign-in, which would keep the process running. */
export class Client extends PgClient {
  override connect(): Promise<PgClient>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<PgClient> | undefined {
    const connecting = this.signIn().catch((error: Error) => {
      this.end().catch(() => {})
      throw NO_PASSWORD.test(error.message) ? new StoreUnusable(ASKS_FOR_PASSWORD, { cause: error }) : error
    })
    if (callback === undefined) return connecting
    connecting.then(() => (callback as () => void)(), callback)
    return undefined
  }

  protected signIn(): Promise<PgClient> {
    return super.connect()
  }
}

const ASKS_FOR_PASSWORD =
  'The database cannot be used: it asks for a password; give it in the address, as PGPASSWORD, or in a password file (PGPASSFILE).'

export class TimedClient extends Client {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #withinMs: number

  constructor(config: ClientConfig, clock: Clock, withinMs: number) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.#socket = socket
    this.#clock = clock
    this.#withinMs = withinMs
  }

  protected override signIn(): Promise<PgClient> {
    return within(this.#clock, this.#withinMs, super.signIn(), () => {
      this.#socket.destroy()
      throw new Error('Connection terminated due to connection timeout')
    })
  }
}
