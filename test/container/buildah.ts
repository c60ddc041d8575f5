/** Images and containers without a container engine, by buildah with chroot isolation, which needs only root. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { memoryFolder, temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { startProgram } from '../support/service.ts'

const run = promisify(execFile)
const PULL_TIMEOUT_MS = 20_000
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

export const buildahNeeded = skipUnless(
  findProgram('buildah') !== undefined && findProgram('debootstrap') !== undefined && process.getuid?.() === 0,
  'images are built by root with buildah and debootstrap; install them',
)

export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly WorkingDir: string
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly ExposedPorts: Readonly<Record<string, unknown>>
  readonly Volumes: Readonly<Record<string, unknown>>
  readonly Healthcheck: { readonly Test: readonly string[] }
}

export class Buildah {
  readonly #storage: readonly string[]

  constructor() {
    const folder = memoryFolder()
    this.#storage = ['--root', `${folder}/store`, '--runroot', `${folder}/run`, '--storage-driver', 'vfs']
  }

  /** Returns standard output. Throws with the whole output if buildah fails. */
  async run(args: readonly string[], timeout?: number): Promise<string> {
    const options = { maxBuffer: MAX_OUTPUT_BYTES, ...(timeout !== undefined && { timeout }) }
    return (await run('buildah', [...this.#storage, ...args], options)).stdout.trim()
  }

  /** Returns the full name of `debian:SUITE-slim`, from its registry or built from Debian's packages. */
  async provideDebian(suite: string): Promise<string> {
    const name = `docker.io/library/debian:${suite}-slim`
    try {
      await this.run(['pull', '--quiet', name], PULL_TIMEOUT_MS)
      return name
    } catch {
      // The registry cannot be reached.
    }
    const folder = temporaryFolder()
    await run('debootstrap', ['--variant=minbase', suite, folder], { maxBuffer: MAX_OUTPUT_BYTES })
    const container = await this.run(['from', 'scratch'])
    await this.run(['add', '--quiet', container, `${folder}/`, '/'])
    await this.run(['commit', '--quiet', '--format', 'docker', '--rm', container, name])
    return name
  }

  async build(image: string, dockerfile: string, context: string): Promise<void> {
    const flags = ['--isolation', 'chroot', '--pull-never', '--format', 'docker']
    await this.run(['bud', ...flags, '--file', dockerfile, '--tag', image, context])
  }

  async configOf(image: string): Promise<ImageConfig> {
    const { Docker } = JSON.parse(await this.run(['inspect', '--type', 'image', image]))
    return Docker.config
  }

  /** A container whose commands run as the image says, with these variables. */
  async create(image: string): Promise<string> {
    return await this.run(['from', '--pull-never', image])
  }

  /** Runs a command in the container and waits for its end, as `docker exec` does. */
  async exec(container: string, command: readonly string[], env: readonly string[]): Promise<string> {
    return await this.run(this.#inContainer(container, command, env))
  }

  start(container: string, command: readonly string[], env: readonly string[]) {
    return startProgram(['buildah', ...this.#storage, ...this.#inContainer(container, command, env)])
  }

  #inContainer(container: string, command: readonly string[], env: readonly string[]): string[] {
    return ['run', '--isolation', 'chroot', ...env.flatMap((each) => ['--env', each]), container, '--', ...command]
  }
}
