/** The documents of a release: its notes, its bill of materials and the checksums. */
import { hash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { type Commit, MANIFEST, ROOT, run } from './tree.ts'

/** The section of the version in CHANGELOG.md; of a `-dev` version the unreleased one. Throws unless the two agree. */
export async function releaseNotes(): Promise<string> {
  const { version } = MANIFEST
  const changelog = await readFile(`${ROOT}/CHANGELOG.md`, 'utf8')
  const [, ...sections] = changelog.split(/^## /m)
  const isInTheMaking = version.endsWith('-dev')
  const unreleased = sections.find((text) => text.startsWith('Unreleased'))
  if (!isInTheMaking && unreleased !== undefined) {
    throw new Error(`CHANGELOG.md has unreleased changes, so package.json must say ${version}-dev`)
  }
  const section = isInTheMaking ? unreleased : sections.find((text) => text.split('\n')[0]?.startsWith(version))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}; write one`)
  return `# ${section.trim()}\n`
}

interface Bill {
  readonly serialNumber: string
  readonly metadata: { readonly component: object }
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly name?: string; readonly version: string; readonly dev?: true }>>
}

/** The packages that the service runs on as a CycloneDX document. */
export async function billOfMaterials({ atMs }: Commit): Promise<string> {
  const lock: Lock = JSON.parse(await readFile(`${ROOT}/package-lock.json`, 'utf8'))
  const shipped = Object.entries(lock.packages).filter(([, { dev }]) => !dev)
  const refs = new Set(
    shipped.map(([path, { name = path.split('node_modules/').at(-1), version }]) => `${name}@${version}`),
  )
  // With --omit=dev npm leaves out what a package for development needs too, such as pg.
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const { stdout } = await run('npm', args, { cwd: ROOT, maxBuffer: 2 ** 26 })
  const { serialNumber: _, ...bill }: Bill = JSON.parse(stdout)
  const components = bill.components.filter((each) => refs.has(each['bom-ref']))
  const dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }))
  // npm would name the component after the folder of the clone.
  const component = { ...bill.metadata.component, name: MANIFEST.name }
  const metadata = { ...bill.metadata, timestamp: new Date(atMs).toISOString(), component }
  return `${JSON.stringify({ ...bill, metadata, components, dependencies }, null, 2)}\n`
}

/** Writes SHA256SUMS over the other files of a folder. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines = (await readdir(folder)).sort().map(async (name) => {
    return `${hash('sha256', await readFile(`${folder}/${name}`), 'hex')}  ${name}\n`
  })
  await writeFile(`${folder}/SHA256SUMS`, (await Promise.all(lines)).join(''))
}
