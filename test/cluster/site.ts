/**
 * The three machines of deploy/ha on one machine: each has its own address on loopback, and its files in one folder.
 * The programs use the configuration of deploy/ha, in which only addresses, ports, folders and passwords are replaced.
 * The address that a machine announces is a door (./doors.ts) in front of its programs, so that it can be cut off.
 */
import { randomInt } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { temporaryFolder } from '../support/folder.ts'
import { skipUnless } from '../support/programs.ts'
import { freePort, notAsRoot } from '../support/servers/servers.ts'
import { type Address, Door } from './doors.ts'
import { Program, type ProgramOptions } from './program.ts'

export type Machine = 1 | 2 | 3
export const MACHINES: readonly Machine[] = [1, 2, 3]

/** As in the files of deploy/ha. The higher one of Redis' two ports is that of its cluster bus. */
export const PORTS = {
  etcd: 2379,
  etcdPeers: 2380,
  postgres: 5432,
  patroni: 8008,
  haproxy: 5000,
  redis: 7001,
  redisBus: 17001,
  redisCopy: 7002,
  redisCopyBus: 17002,
  node: 8080,
  operator: 8081,
} as const
type Service = keyof typeof PORTS

export const PASSWORDS = {
  REST_PASSWORD: 'rest',
  SUPERUSER_PASSWORD: 'superuser',
  REPLICATION_PASSWORD: 'replication',
  PETS_PASSWORD: 'pets',
  REDIS_PASSWORD: 'redis',
} as const

/** For `test({ ...linuxNeeded })`. */
export const linuxNeeded = skipUnless(
  process.platform === 'linux',
  'the cluster needs Linux, where all of 127.0.0.0/8 is loopback',
)

const HA = join(import.meta.dirname, '../../deploy/ha')
/** A line that says where a program listens, as opposed to where others find it. */
const LISTENS = /^\s*(?:bind|listen:|ETCD_LISTEN_\w+=|PETS_HOST=)/

export class Site {
  readonly folder = temporaryFolder()
  readonly #net = `127.${randomInt(1, 255)}.${randomInt(0, 255)}`
  readonly #ports: Readonly<Record<Service, number>>

  readonly #logs: string
  readonly #programs: Program[] = []
  readonly #doors: Door[] = []

  private constructor(logs: string, ports: Readonly<Record<Service, number>>) {
    this.#logs = logs
    this.#ports = ports
    this.#own(this.folder)
    // However this process ends, its programs end with it.
    process.once('exit', () => this.#killAll())
  }

  /** `logs`: the folder for the logs of all programs, which is kept when the cluster is gone. */
  static async create(logs: string): Promise<Site> {
    const ports: [string, number][] = []
    for (const service of Object.keys(PORTS)) ports.push([service, await freePort()])
    return new Site(logs, Object.fromEntries(ports) as Record<Service, number>)
  }

  port(service: Service): number {
    return this.#ports[service]
  }

  /** The address by which others know the machine. */
  outside(machine: Machine): string {
    return `${this.#net}.${10 + machine}`
  }

  /** The address at which its programs listen. */
  inside(machine: Machine): string {
    return `${this.#net}.${20 + machine}`
  }

  /** The address by which Patroni on one machine knows etcd on another, so that it can be cut off from all etcd. */
  wayToEtcd(from: Machine, to: Machine): string {
    return `${this.#net}.${30 + 10 * from + to}`
  }

  /** Addresses that nothing else uses, from which the cluster bus of one Redis server calls the others. */
  redisSource(machine: Machine, service: 'redis' | 'redisCopy'): string {
    return `${this.#net}.${(service === 'redis' ? 100 : 110) + machine}`
  }

  /** A folder that servers which refuse to run as root may write to. */
  makeFolder(...path: readonly string[]): string {
    const folder = join(this.folder, ...path)
    if (existsSync(folder)) return folder
    this.makeFolder(...path.slice(0, -1))
    mkdirSync(folder)
    this.#own(folder)
    return folder
  }

  #own(folder: string): void {
    if (notAsRoot.uid !== undefined) chownSync(folder, notAsRoot.uid, notAsRoot.gid)
  }

  /**
   * The text of a file of deploy/ha as it is on this machine, without its comments. Each of `replace` must occur in it,
   * and no placeholder may remain.
   */
  render(file: string, machine: Machine, replace: Readonly<Record<string, string>> = {}): string {
    let text = readFileSync(join(HA, file), 'utf8')
    for (const [from, to] of Object.entries(replace)) {
      if (!text.includes(from)) throw new Error(`deploy/ha/${file} does not hold ${from}`)
      text = text.replaceAll(from, to)
    }
    const words = { ...PASSWORDS, SELF_NAME: `pets${machine}`, '10.0.0.0/24': '127.0.0.0/8', '10.0.0.10': '127.0.0.1' }
    for (const [from, to] of Object.entries(words)) text = text.replaceAll(from, to)
    for (const [service, port] of Object.entries(PORTS)) {
      text = text.replace(new RegExp(`(?<=[:= ])${port}\\b`, 'g'), String(this.#ports[service as Service]))
    }
    const lines = text.replaceAll('/var/', `${this.folder}/pets${machine}/var/`).split('\n')
    const rendered = lines.filter((line) => !/^ *#/.test(line)).map((line) => this.#withAddresses(line, machine))
    const left = rendered.find((line) => /10\.0\.0\.|SELF_|_PASSWORD/.test(line.replace(/^ETCD_\w+=/, '')))
    if (left !== undefined) throw new Error(`deploy/ha/${file} is not filled in: ${left}`)
    return rendered.join('\n')
  }

  #withAddresses(line: string, machine: Machine): string {
    if (LISTENS.test(line)) return line.replace(/SELF_ADDRESS|127\.0\.0\.1(?=:)/g, this.inside(machine))
    let text = line.replaceAll('SELF_ADDRESS', this.outside(machine))
    for (const to of MACHINES) text = text.replaceAll(`10.0.0.1${to}`, this.outside(to))
    return text
  }

  /** Where the program of this name writes its log. */
  log(name: string): string {
    return join(this.#logs, `${name}.log`)
  }

  start(name: string, options: Omit<ProgramOptions, 'log'>): Program {
    const program = new Program({ ...options, log: this.log(name) })
    this.#programs.push(program)
    program.start()
    return program
  }

  async open(at: Address, to: Address): Promise<Door> {
    const door = await Door.open(at, to)
    this.#doors.push(door)
    return door
  }

  /** Ends everything that was started and opened here. */
  close(): void {
    this.#killAll()
    for (const door of this.#doors) door.close()
  }

  #killAll(): void {
    for (const program of this.#programs) program.kill()
  }

  /** Writes a rendered file and says where it is. */
  write(file: string, machine: Machine, text: string): string {
    const path = join(this.makeFolder(`pets${machine}`, 'etc'), file)
    writeFileSync(path, text)
    return path
  }

  /** The variables of a rendered file of `NAME=value` lines. */
  renderEnv(file: string, machine: Machine): Record<string, string> {
    return parseEnv(this.render(file, machine)) as Record<string, string>
  }
}
