/**
 * The place of a strain: a folder with a database, or a database on a PostgreSQL, the service on it, and its commands,
 * each a real process that may be cut. What was done is noted as lines for a shell.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import { temporaryFolder } from '../support/folder.ts'
import { call } from '../support/http.ts'
import { as, NOBODY } from '../support/other-user.ts'
import { Finding } from '../support/part.ts'
import { type CommandResult, type RunningService, startProgram, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { type Seen, shownPet } from './model.ts'
import type { Cut } from './plan.ts'

const PETS = resolve(import.meta.dirname, '../../src/cli/pets.js')
/** No command of a strain takes so long, not even on a busy machine. */
const DEADLINE_MS = 60_000
const DISK_MIB = 96
/** The first command takes so long on a machine that has nothing else to do. */
const UNHURRIED_MS = 200
/** Of a programming mistake: what an operator is told is a sentence. */
const STACK_TRACE = /^\s+at .*:\d+:\d+\)?$|node:internal/m
/** Less than that of the minute, so that answers tell what is left of it. */
const PER_DAY = 9_000_000
const FIRST_KEY = `keys create --create --json --label strain --plan enterprise --per-minute 9999999 --per-day ${PER_DAY} --database`

interface Ended extends CommandResult {
  readonly startMs: number
  readonly endMs: number
}

/** Whether a disk of one's own can be mounted here. */
export function mayMount(): boolean {
  const folder = temporaryFolder()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' }).status !== 0)
    return false
  return spawnSync('umount', [folder]).status === 0
}

export class Site implements AsyncDisposable {
  readonly database: string
  readonly folder: string
  /** How many requests with the site's key were answered, and as the last such answer tells it. */
  readonly counted = { answers: 0, told: 0 }
  /** What was done so far. */
  readonly lines: string[] = []
  readonly #isNobodys: boolean
  readonly #isMounted: boolean
  readonly #url: string | undefined
  #service: RunningService | undefined
  #key = ''
  /** How many times as long everything takes: a cut is to come in the middle of a command on a busy machine too. */
  #pace = 1

  /** `postgres`: the URL of an empty database; without it the site has a file. */
  constructor(options: { isNobodys: boolean; mayFill: boolean; postgres?: string | undefined }) {
    this.#isNobodys = options.isNobodys
    this.#isMounted = options.mayFill
    this.#url = options.postgres
    const outer = temporaryFolder()
    chmodSync(outer, 0o755)
    this.folder = join(outer, 'site')
    mkdirSync(this.folder)
    this.database = options.postgres ?? `sqlite:${this.folder}/pets.db`
    if (this.#isMounted) spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', this.folder])
    chmodSync(this.folder, 0o755)
    if (this.#isNobodys) chownSync(this.folder, NOBODY, NOBODY)
    mkdirSync(this.file(''))
    chmodSync(this.file(''), 0o777)
  }

  /** A file beside the database, on another disk. */
  file(name: string): string {
    return join(this.folder, '..', 'files', name)
  }

  async begin(): Promise<void> {
    const created = await this.run([...FIRST_KEY.split(' '), this.database])
    if (created.code !== 0) throw new Finding(`no first key: ${created.stderr}`)
    this.#key = (JSON.parse(created.stdout) as { key: string }).key
    this.#pace = Math.max(1, (created.endMs - created.startMs) / UNHURRIED_MS)
  }

  /**
   * Runs a command of `pets` to its end. A Finding where it hangs, breaks down or ends with another code than 0, 1 or
   * 2.
   */
  async run(
    args: readonly string[],
    { cut, isOther = false }: { cut?: Cut | undefined; isOther?: boolean } = {},
  ): Promise<Ended> {
    const launcher = this.#isNobodys === isOther ? [] : as(NOBODY)
    const line = [...launcher, 'pets', ...args].map(quoted).join(' ')
    const afterMs = (cut?.afterMs ?? 0) * this.#pace
    this.lines.push(cut === undefined ? line : `${line} & sleep ${afterMs / 1000}; kill -s ${cut.signal.slice(3)} $!`)
    const startMs = performance.now()
    const command = startProgram([...launcher, process.execPath, PETS, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    const { process: child, ended } = command
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, DEADLINE_MS)
    const cutter = cut && setTimeout(() => child.kill(cut.signal), afterMs)
    const code = await ended
    const [stdout, stderr] = [command.stdout(), command.stderr()]
    clearTimeout(deadline)
    clearTimeout(cutter)
    if (isLate) throw new Finding(`hangs: ${line}\n${stderr}`)
    if (STACK_TRACE.test(stderr)) throw new Finding(`breaks down: ${line}\n${stderr}`)
    if (cut === undefined ? code === null || code > 2 : (code ?? 0) > 2 && code !== 130)
      throw new Finding(`ends with ${code}: ${line}\n${stderr}`)
    return { code, stdout, stderr, startMs, endMs: performance.now() }
  }

  async serve(): Promise<void> {
    this.lines.push(`pets serve --database ${this.database} &`)
    try {
      this.#service = await startService({
        database: this.database,
        ...(this.#isNobodys && { launcher: as(NOBODY) }),
      })
    } catch (error) {
      throw new Finding(`the service does not start: ${String(error)}`)
    }
  }

  /** Ends the service, if it runs. It has to end by itself on a signal that it can hear. */
  async endService(signal: NodeJS.Signals): Promise<void> {
    const service = this.#service
    if (service === undefined) return
    this.#service = undefined
    this.lines.push(`kill -s ${signal.slice(3)} %serve`)
    const { process: child } = service
    if (service.output().includes('"level":"fatal"')) throw new Finding(`the service breaks down: ${service.output()}`)
    const exited = once(child, 'exit', { signal: AbortSignal.timeout(DEADLINE_MS) })
    child.ref()
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    else throw new Finding(`the service has ended with ${child.exitCode ?? child.signalCode}: ${service.output()}`)
    const [code] = (await exited.catch(() => {
      throw new Finding(`the service does not end on ${signal}: ${service.output()}`)
    })) as [number | null]
    if (signal !== 'SIGKILL' && code !== 0)
      throw new Finding(`the service ends with ${code} on ${signal}: ${service.output()}`)
  }

  /** A request with the site's key or another. Undefined where no answer came. */
  async request(path: string, body?: object, key = this.#key): Promise<{ status: number; body: string } | undefined> {
    if (this.#service === undefined) return undefined
    if (body !== undefined) this.lines.push(`curl -d ${quoted(JSON.stringify(body))} $BASE${path} &`)
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const answer = await call(this.#service.port, { key, path: `/v1${path}`, ...sent }).catch(() => undefined)
    if (answer !== undefined && key === this.#key) {
      this.counted.answers += 1
      this.counted.told = PER_DAY - Number(answer.headers['x-ratelimit-remaining'])
    }
    return answer
  }

  output(): string {
    return this.#service?.output() ?? ''
  }

  /** Takes the room on the disk but for so much. Returns what gives it back. */
  fill(leaveKiB: number): () => void {
    const filler = join(this.folder, 'filler')
    const { bavail, bsize } = statfsSync(this.folder)
    const bytes = Math.max(0, bavail * bsize - leaveKiB * 1024)
    this.lines.push(`fallocate -l ${bytes} ${filler}`)
    try {
      writeFileSync(filler, Buffer.alloc(bytes))
    } catch {} // the service has written meanwhile, and nothing is left
    return () => {
      this.lines.push(`rm ${filler}`)
      rmSync(filler)
    }
  }

  /** All that the commands show of a database, of this one unless told. */
  async look(database = this.database): Promise<Seen> {
    const show = async (...args: string[]) => {
      const { code, stdout, stderr } = await this.run([...args, '--database', database])
      if (code !== 0) throw new Finding(`${args.join(' ')} ends with ${code}: ${stderr}`)
      return stdout.split('\n').filter((line) => line !== '')
    }
    await this.#settled()
    if (database.startsWith('sqlite:')) await show('verify')
    const animals = await show('export')
    const [journal, keys, imports] = await Promise.all([
      show('journal', '--json', '--limit', '1000000000'),
      show('keys', 'list', '--json'),
      show('imports', 'list', '--json', '--limit', '100000'),
    ])
    return {
      // Without exports: they change nothing, and this look is one itself.
      journal: journal.reverse().filter((line) => (JSON.parse(line) as { act: string }).act !== 'export'),
      animals: animals.map(shownPet),
      keys: keys.map((line) => JSON.parse(line) as Seen['keys'][number]),
      imports: imports.map((line) => {
        const { n, undoneAt } = JSON.parse(line) as { n: string; undoneAt?: string }
        return { n, isUndone: undoneAt !== undefined }
      }),
    }
  }

  /** PostgreSQL may still be at the last statement of a command that was killed. */
  async #settled(): Promise<void> {
    if (this.#url === undefined) return
    const client = new Client(this.#url)
    await client.connect()
    const busy = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle' AND backend_type = 'client backend'`
    try {
      await until('the database is at rest', async () => (await client.query(busy)).rows[0].n === 0)
    } finally {
      await client.end()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endService('SIGKILL').catch(() => {})
    if (this.#isMounted) spawnSync('umount', ['--lazy', this.folder])
    rmSync(join(this.folder, '..'), { recursive: true, force: true })
  }
}

const quoted = (text: string) => (/^[\w./:@=-]+$/.test(text) ? text : `'${text}'`)
