/** What accompanies the files of a release: the notes, the bill of materials and the checksums. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type Commit, ROOT } from './tree.ts'

const run = promisify(execFile)

/** What CHANGELOG.md says of a version. Throws when it says nothing. */
export async function releaseNotes(version: string): Promise<string> {
  const changelog = await readFile(`${ROOT}/CHANGELOG.md`, 'utf8')
  const [, ...sections] = changelog.split(/^## /m)
  const section = sections.find((text) => text.split('\n')[0]?.startsWith(version))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}; write one`)
  return `# ${section.trim()}\n`
}

/** The packages in a release as CycloneDX, from the lock file; of the time of the commit, not of today. */
export async function billOfMaterials({ atMs }: Commit): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only']
  const { stdout } = await run('npm', args, { cwd: ROOT, maxBuffer: 2 ** 26 })
  const { serialNumber: _, metadata, ...bill } = JSON.parse(stdout)
  return `${JSON.stringify({ ...bill, metadata: { ...metadata, timestamp: new Date(atMs).toISOString() } }, null, 2)}\n`
}

/** Writes SHA256SUMS over the other files of a folder, as `sha256sum --check` reads it. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines: string[] = []
  for (const name of (await readdir(folder)).sort()) {
    if (name === 'SHA256SUMS') continue
    const hash = createHash('sha256')
      .update(await readFile(`${folder}/${name}`))
      .digest('hex')
    lines.push(`${hash}  ${name}\n`)
  }
  await writeFile(`${folder}/SHA256SUMS`, lines.join(''))
}
