/**
 * The `docker` of the guides, without an engine. buildah builds an image. A container is a process in the image's root, which is
 * read-only except for its volume, with the image's user and variables. It has the machine's network, so a published port is
 * a free one. It throws an error for commands that the guides do not contain, so that each change of them is noticed.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/servers/servers.ts'
import { type RunningCommand, startProgram } from '../support/service.ts'
import type { Buildah, ImageConfig } from './buildah.ts'
import { served } from './served.ts'

const execute = promisify(execFile)

/**
 * The arguments: the root, the folder of the volume and where it belongs, the user, the working folder, and the
 * command.
 */
const ENTER = `
  mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -t proc proc "$1/proc" || exit
  mount --bind "$2" "$1$3" || exit
  root=$1 user=$4 folder=$5; shift 5
  exec chroot --userspec="$user" "$root" env -i -C "$folder" "$@"`

interface Container {
  /** Published ports of the container. */
  readonly port: number
  /** The start of a command line that enters the container, as for `unshare`. */
  readonly enter: readonly string[]
  readonly command: readonly string[]
  readonly service: RunningCommand
}

export class Docker {
  readonly #buildah: Buildah
  /** Replaces the root of the clone. */
  readonly #clone: string
  readonly #containers = new Map<string, Container>()
  /** The folder of each volume. */
  readonly #volumes = new Map<string, string>()

  constructor(buildah: Buildah, clone: string) {
    this.#buildah = buildah
    this.#clone = clone
  }

  /** Runs a line of a guide; resolves to its standard output. */
  async run(line: string): Promise<string> {
    const [docker, command, ...args] = line.split(' ')
    assert.equal(docker, 'docker', line)
    if (command === 'build') return await this.#build(args)
    if (command === 'run') return await this.#start(args)
    if (command === 'exec') return await this.#exec(args)
    if (command === 'stop') return await this.#stop(args)
    if (command === 'start') return await this.#again(args)
    if (command === 'rm') return this.#remove(args)
    throw new Error(`The guide has a command that this test does not know: ${line}`)
  }

  /** The free port that replaces the published one. */
  portOf(name: string): number {
    return this.#container(name).port
  }

  async #build(args: string[]): Promise<string> {
    const options = { file: { type: 'string', short: 'f' }, tag: { type: 'string', short: 't' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    assert.deepEqual(positionals, ['.'], 'the guide builds from the root of the clone')
    assert(values.file !== undefined && values.tag !== undefined)
    await this.#buildah.build(values.tag, `${this.#clone}/${values.file}`, this.#clone)
    return ''
  }

  async #start(args: string[]): Promise<string> {
    const options = {
      detach: { type: 'boolean' },
      rm: { type: 'boolean' },
      name: { type: 'string' },
      restart: { type: 'string' },
      'read-only': { type: 'boolean' },
      volume: { type: 'string', short: 'v' },
      publish: { type: 'string', short: 'p' },
    } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [image = '', ...command] = positionals
    const { name, volume, publish, detach, rm, 'read-only': readOnly } = values
    if (rm) return await this.#once(image, volume ?? '', command)
    assert(detach && readOnly && name !== undefined && volume !== undefined && publish !== undefined)
    assert(!this.#containers.has(name), `docker refuses a second container of the name ${name}`)
    const config = await this.#buildah.configOf(image)
    assert(config.ExposedPorts[`${publish.split(':')[1]}/tcp`], `the image listens on ${publish}`)
    assert(config.Env.includes(`PETS_PORT=${publish.split(':')[1]}`), `the service listens on ${publish}`)
    const port = await freePort()
    const root = await this.#buildah.run(['mount', await this.#buildah.create(image)])
    const enter = await this.#enter(root, volume, config, [
      `PETS_PORT=${port}`,
      `PETS_OPERATOR_PORT=${await freePort()}`,
    ])
    const started = [...config.Entrypoint, ...(command.length > 0 ? command : config.Cmd)]
    this.#containers.set(name, { port, enter, command: started, service: await serve(enter, started) })
    return ''
  }

  /** A container that is removed when its command ends. */
  async #once(image: string, volume: string, command: readonly string[]): Promise<string> {
    const config = await this.#buildah.configOf(image)
    const root = await this.#buildah.run(['mount', await this.#buildah.create(image)])
    const enter = await this.#enter(root, volume, config, [])
    return (await execute('unshare', [...enter, ...config.Entrypoint, ...command])).stdout.trim()
  }

  async #enter(root: string, volume: string, config: ImageConfig, env: readonly string[]): Promise<readonly string[]> {
    const [name = '', path = ''] = volume.split(':')
    let folder = this.#volumes.get(name)
    if (folder === undefined) {
      // An engine fills a new volume with the image's files at its path, with owners and modes.
      folder = `${temporaryFolder()}/volume`
      await execute('cp', ['--archive', `${root}${path}`, folder])
      this.#volumes.set(name, folder)
    }
    const { User, WorkingDir, Env } = config
    return ['--mount', 'sh', '-c', ENTER, 'sh', root, folder, path, User, WorkingDir, ...Env, ...env]
  }

  async #exec([name = '', ...command]: string[]): Promise<string> {
    return (await execute('unshare', [...this.#container(name).enter, ...command])).stdout.trim()
  }

  /** Sends SIGTERM, after which the service must end by itself. */
  async #stop([name = '']: string[]): Promise<string> {
    const { service } = this.#container(name)
    service.process.kill('SIGTERM')
    assert.equal(await service.ended, 0)
    return ''
  }

  async #again([name = '']: string[]): Promise<string> {
    const container = this.#container(name)
    this.#containers.set(name, { ...container, service: await serve(container.enter, container.command) })
    return ''
  }

  #remove([name = '']: string[]): string {
    assert(this.#container(name).service.process.exitCode !== null, 'docker removes no container that runs')
    this.#containers.delete(name)
    return ''
  }

  #container(name: string): Container {
    const container = this.#containers.get(name)
    assert(container !== undefined, `there is no container ${name}`)
    return container
  }
}

async function serve(enter: readonly string[], command: readonly string[]): Promise<RunningCommand> {
  const service = startProgram(['unshare', ...enter, ...command])
  await served(service)
  return service
}
