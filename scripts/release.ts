/** Makes a release in dist/ for `npm run release`. The same commit gives the same bytes. */
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { PROCESSORS, type Processor, writeDebianPackage } from './release/debian.ts'
import { billOfMaterials, releaseNotes, writeChecksums } from './release/documents.ts'
import { packFolders } from './release/packages.ts'
import { type Commit, headCommit, MANIFEST, ROOT } from './release/tree.ts'

/** Empties and fills `folder`. */
export async function makeRelease(folder: string, commit: Commit, processors: readonly Processor[]): Promise<void> {
  const { version } = MANIFEST
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const scratch = await mkdtemp(`${tmpdir()}/release-`)
  try {
    for (const processor of processors) await writeDebianPackage(folder, processor, commit, `${scratch}/${processor}`)
    await packFolders(folder, `${scratch}/packages`)
    await writeFile(`${folder}/pets-${version}-sbom.cdx.json`, await billOfMaterials(commit))
    await writeFile(`${folder}/release-notes-${version}.md`, await releaseNotes())
    await writeChecksums(folder)
  } finally {
    await rm(scratch, { recursive: true })
  }
}

if (import.meta.main) {
  const commit = await headCommit()
  if (commit.isDirty) {
    process.stderr.write(
      'A release is made from a commit, and the tree differs from it; commit or stash the changes.\n',
    )
    process.exit(1)
  }
  await makeRelease(`${ROOT}/dist`, commit, PROCESSORS)
  process.stdout.write(await summary(`${ROOT}/dist`, commit))
}

/** A text for the terminal: the files that were made, and the next steps. */
async function summary(folder: string, { id }: Commit): Promise<string> {
  const sizes = (await readdir(folder)).sort().map(async (name) => {
    const { size } = await stat(`${folder}/${name}`)
    return `${(size / 1_000_000).toFixed(1).padStart(7)} MB  ${name}\n`
  })
  const { version } = MANIFEST
  const tagStep = version.endsWith('-dev')
    ? 'do not tag it, since it is a version in the making, and'
    : `name the commit (git tag v${version} ${id.slice(0, 12)}), and`
  return `Version ${version} of commit ${id.slice(0, 12)} is in ${folder}:
${(await Promise.all(sizes)).join('')}
Next: try it (npm test -- test/release test/container), ${tagStep}
pass the files on. Recipients check them with sha256sum --check --ignore-missing SHA256SUMS.
`
}
