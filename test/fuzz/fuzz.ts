/**
 * One run of the fuzzer against a real process: batches of concurrent connections, each checked against what is known
 * of it. Between the batches the process must live, answer others, keep its memory within bounds and log no error; in
 * the end it must stop although requests are incomplete, and hold exactly what it acknowledged. fast-check draws the
 * connections from the seed, and shrinks those that fail.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { call, RawConnection } from '../support/http.ts'
import { pets, type RunningService, startService } from '../support/service.ts'
import { type Connection, connection } from './connections.ts'
import { judge } from './judge.ts'
import { Ledger } from './ledger.ts'
import { type Address, play } from './play.ts'
import { BODY_LIMIT } from './requests.ts'

const BATCH = 8
const MAX_RSS_BYTES = 512 * 1_048_576
const STOP_MS = 30_000
const SETTINGS = ['--office', '--body-limit', String(BODY_LIMIT), '--anonymous-per-minute', '1000000000']

export interface Target {
  /** The `--database` of an empty database. */
  readonly database: string
  /** More arguments of `pets serve`. */
  readonly args: readonly string[]
}

interface Findings {
  readonly connections: number
  readonly acknowledged: number
  /** What went wrong, and the connections that caused it, as few and short as could be found. */
  readonly failure?: { readonly message: string; readonly batch: readonly Connection[] }
}

export async function fuzz(target: Target, options: { seed: number; seconds: number }): Promise<Findings> {
  const bench = new Bench(target)
  try {
    await bench.start()
    let connections = 0
    const property = fc.asyncProperty(fc.array(connection, { minLength: 1, maxLength: BATCH }), async (batch) => {
      connections += batch.length
      await bench.run(batch)
    })
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      seed: options.seed,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: options.seconds * 1_000,
    })
    const done = { connections, acknowledged: bench.ledger.size }
    if (failed) {
      const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
      return { ...done, failure: { message, batch: counterexample?.[0] ?? [] } }
    }
    const message = await bench.finish()
    return { ...done, ...(message !== undefined && { failure: { message, batch: [] } }) }
  } finally {
    bench.service?.process.kill('SIGKILL')
  }
}

/** Plays the connections of a failure again. Returns what is wrong, or undefined. */
export async function replay(target: Target, batch: readonly Connection[]): Promise<string | undefined> {
  const bench = new Bench(target)
  try {
    await bench.run(batch)
    return await bench.finish()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    bench.service?.process.kill('SIGKILL')
  }
}

class Bench {
  readonly ledger = new Ledger()
  service: RunningService | undefined
  readonly #target: Target
  #address: Address | undefined
  #names = 0
  #linesSeen = 0

  constructor(target: Target) {
    this.#target = target
  }

  /** Throws with one sentence for what is wrong. */
  async run(batch: readonly Connection[]): Promise<void> {
    const { service, address } = await this.start()
    const all = await Promise.all(batch.map((one) => play(one, address, () => this.#takeName())))
    for (const played of all) this.ledger.note(played)
    for (const [index, played] of all.entries()) {
      const wrong = judge(played)
      if (wrong !== undefined) throw new Error(`connection ${index}: ${wrong}${this.#lastWords(service)}`)
    }
    await this.#assertSound(service, address)
  }

  /** Starts the service where none runs. */
  async start(): Promise<{ service: RunningService; address: Address }> {
    if (this.service !== undefined && this.#address !== undefined && this.service.process.exitCode === null) {
      return { service: this.service, address: this.#address }
    }
    const { database, args } = this.#target
    const service = await startService({ database, args: [...SETTINGS, ...args] })
    this.service = service
    this.#linesSeen = 0
    const [large, free] = [await service.issueKey(), await service.issueKey('free')]
    const operator = new URL(service.operatorUrl)
    this.#address = {
      publicPort: Number(new URL(service.baseUrl).port),
      operatorPort: Number(operator.port),
      texts: { LARGE: large.key, FREE: free.key, HOST: operator.host },
    }
    return { service, address: this.#address }
  }

  /** The process lives, answers others, and reports no error. */
  async #assertSound(service: RunningService, { publicPort, texts }: Address): Promise<void> {
    const other = await call(publicPort, {
      path: '/v1/pets?limit=1',
      ...(texts.LARGE !== undefined && { key: texts.LARGE }),
    })
      .then(({ status }) => String(status))
      .catch((error: Error) => error.message)
    if (other !== '200') throw new Error(`another client gets ${other}${this.#lastWords(service)}`)
    const error = this.#newError(service)
    if (error !== undefined) throw new Error(`an error is logged: ${error}`)
    const rss = residentBytes(service)
    if (rss > MAX_RSS_BYTES) throw new Error(`the process takes ${Math.round(rss / 1_048_576)} MiB`)
  }

  /** Stops the process while requests are incomplete on both ports, and checks what is stored. */
  async finish(): Promise<string | undefined> {
    const { service, address } = await this.start()
    using half = new RawConnection(address.publicPort)
    using other = new RawConnection(address.operatorPort)
    for (const one of [half, other]) one.send('GET / HTTP/1.1\r\nHost: x\r\n')
    await call(address.publicPort, {})
    const timer = setTimeout(() => service.process.kill('SIGKILL'), STOP_MS)
    const code = await service.stop()
    clearTimeout(timer)
    if (code !== 0) return `does not stop within ${STOP_MS} ms with half a request open on each port`
    const { stdout, stderr, code: exported } = await pets(['export', '--database', this.#target.database])
    return exported === 0 ? this.ledger.wrongOf(stdout) : `export fails: ${stderr}`
  }

  /** Nothing that a client sends is an error of the service. The levels are pino's; each line is checked once. */
  #newError({ output }: RunningService): string | undefined {
    const lines = output().split('\n')
    const fresh = lines.slice(this.#linesSeen)
    this.#linesSeen = lines.length
    return fresh.find((line) => /"level":[56]0/.test(line))
  }

  #lastWords({ process, output }: RunningService): string {
    if (process.exitCode === null && process.signalCode === null) return ''
    return `; the process ended with ${process.exitCode ?? process.signalCode}: ${output().slice(-1_000)}`
  }

  #takeName(): string {
    this.#names += 1
    return `n${String(this.#names).padStart(6, '0')}`
  }
}

function residentBytes({ process: { pid } }: RunningService): number {
  if (process.platform !== 'linux') return 0
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
}
