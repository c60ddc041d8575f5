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
}

/** The packages that the service runs on as a CycloneDX document, from the lock file. Its time is that of the commit. */
export async function billOfMaterials({ atMs }: Commit): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only']
  const { stdout } = await run('npm', args, { cwd: ROOT, maxBuffer: 2 ** 26 })
  const { serialNumber: _, ...bill }: Bill = JSON.parse(stdout)
  // npm would name the component after the folder of the clone.
  const component = { ...bill.metadata.component, name: MANIFEST.name }
  const metadata = { ...bill.metadata, timestamp: new Date(atMs).toISOString(), component }
  return `${JSON.stringify({ ...bill, metadata }, null, 2)}\n`
}

/** Writes SHA256SUMS over the other files of a folder, as `sha256sum --check` reads it. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines = (await readdir(folder)).sort().map(async (name) => {
    return `${hash('sha256', await readFile(`${folder}/${name}`), 'hex')}  ${name}\n`
  })
  await writeFile(`${folder}/SHA256SUMS`, (await Promise.all(lines)).join(''))
}
