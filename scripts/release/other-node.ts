/**
 * Gets Node for Linux on the other processor, for the executable there. npm installs only that of this machine, so the
 * other package is fetched from the registry, with the version and the hash in the lock file.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { ROOT, run } from './tree.ts'

/** The processor of a program, by Node's names. */
export type Processor = 'x64' | 'arm64'

interface OtherNode {
  readonly processor: Processor
  /** The package, unpacked. */
  readonly folder: string
}

/**
 * Unpacks the package into `scratch`. Resolves to a sentence if there is none: this is not Linux, or npm cannot
 * fetch it. Throws if the package does not have the hash in the lock file.
 */
export async function otherNode(scratch: string): Promise<OtherNode | string> {
  if (process.platform !== 'linux') return 'Executables for Linux are made on Linux.'
  const processor = process.arch === 'arm64' ? 'x64' : 'arm64'
  const name = `node-linux-${processor}`
  const lock: { packages: Record<string, { version: string; integrity: string }> } = JSON.parse(
    await readFile(`${ROOT}/package-lock.json`, 'utf8'),
  )
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {}
  await mkdir(scratch)
  const pack = ['pack', `${name}@${version}`, '--loglevel', 'error', '--prefer-offline', '--pack-destination', scratch]
  const failure = await run('npm', pack, { cwd: ROOT }).then(
    () => undefined,
    ({ stderr }: { stderr: string }) => /^npm error (?!code)(.*)/m.exec(stderr)?.[1] ?? stderr,
  )
  if (failure !== undefined)
    return `There is nothing for ${processor}: npm pack ${name}@${version} failed (${failure}).`
  const archive = `${scratch}/${name}-${version}.tgz`
  const hash = createHash('sha512').update(await readFile(archive))
  if (`sha512-${hash.digest('base64')}` !== integrity) {
    throw new Error(`The registry's ${name}@${version} is not the one of package-lock.json; nothing is made of it.`)
  }
  await run('tar', ['--extract', '--gzip', '--file', archive, '--directory', scratch])
  return { processor, folder: `${scratch}/package` }
}
