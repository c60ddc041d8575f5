/** The documents of a release: its notes, its bill of materials and the checksums. */
import { hash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import type { ReleasePart } from './parts.ts'
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
  readonly metadata: { readonly component: { readonly 'bom-ref': string } }
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/**
 * The parts of a release as a CycloneDX document, with their data from the lock file. Its time is that of the commit.
 */
export async function billOfMaterials({ atMs }: Commit, parts: readonly ReleasePart[]): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const { stdout } = await run('npm', args, { cwd: ROOT, maxBuffer: 2 ** 26 })
  const { serialNumber: _, ...bill }: Bill = JSON.parse(stdout)
  const { component } = bill.metadata
  const refs = new Set(parts.map(({ name, version }) => `${name}@${version}`))
  const components = bill.components.filter((each) => refs.has(each['bom-ref']))
  if (components.length !== refs.size) throw new Error('package-lock.json does not know all that is in the release')
  refs.add(component['bom-ref'])
  const dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }))
  const [name] = component['bom-ref'].split('@')
  // npm would name the component after the folder of the clone.
  const metadata = { ...bill.metadata, timestamp: new Date(atMs).toISOString(), component: { ...component, name } }
  return `${JSON.stringify({ ...bill, metadata, components, dependencies }, null, 2)}\n`
}

/** Writes SHA256SUMS over the other files of a folder, as `sha256sum --check` reads it. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines = (await readdir(folder)).sort().map(async (name) => {
    return `${hash('sha256', await readFile(`${folder}/${name}`), 'hex')}  ${name}\n`
  })
  await writeFile(`${folder}/SHA256SUMS`, (await Promise.all(lines)).join(''))
}
