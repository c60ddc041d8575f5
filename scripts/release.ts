/**
 * Makes a release in dist/, for `npm run release`: the executable for this platform (on Linux for both processors),
 * the packages, and what accompanies them. The same commit gives the same bytes.
 */
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname } from 'node:path'
import { bundle } from './release/bundle.ts'
import { textsOf, writeDebianPackage } from './release/debian.ts'
import { billOfMaterials, releaseNotes, writeChecksums } from './release/documents.ts'
import { writeExecutable } from './release/executable.ts'
import { otherNode, type Processor } from './release/other-node.ts'
import { pack, packFolders } from './release/packages.ts'
import { licencesOf, partsIn } from './release/parts.ts'
import { PACKAGES_OF_FILES, programFiles } from './release/program-files.ts'
import { API, stageService } from './release/service-package.ts'
import { type Commit, headCommit, MANIFEST, ROOT } from './release/tree.ts'

const PROGRAM = 'src/cli/pets.ts'
/** Files of deploy/ for running the executable under systemd without the Debian package (deploy/README.md). */
const SYSTEMD = ['pets.service', 'pets.socket', 'update']

/** Empties and fills `folder`. Resolves to the reason if the executable for the other processor could not be made. */
export async function makeRelease(folder: string, commit: Commit): Promise<string | undefined> {
  const { version } = MANIFEST
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const scratch = await mkdtemp(`${tmpdir()}/release-`)
  try {
    const [whole, split, files, other] = await Promise.all([
      bundle([PROGRAM], commit, false),
      bundle([PROGRAM, API], commit, true),
      programFiles(),
      otherNode(`${scratch}/node`),
    ])
    const nodes = [`node_modules/${basename(dirname(dirname(process.execPath)))}`]
    if (typeof other !== 'string') nodes.push(other.folder)
    const parts = await partsIn([...whole.packages, ...split.packages, ...PACKAGES_OF_FILES, ...nodes])
    const licences = licencesOf(parts)
    const executableFor = (processor: string) => `${folder}/pets-${version}-${process.platform}-${processor}`
    const runnable = executableFor(process.arch)
    await writeExecutable(runnable, whole, files, `${scratch}/executable`)
    const texts = await textsOf(runnable)
    const packageFor = (processor: Processor) => {
      const program = { executable: executableFor(processor), processor, texts }
      return writeDebianPackage(folder, program, version, licences, commit)
    }
    if (typeof other !== 'string') {
      const { processor, folder: node } = other
      await writeExecutable(executableFor(processor), whole, files, `${scratch}/other`, `${node}/bin/node`)
      await packageFor(processor)
    }
    if (process.platform === 'linux') await packageFor(process.arch as Processor)
    await stageService(`${scratch}/service`, split, files, licences, commit)
    await pack(`${scratch}/service`, folder)
    await packFolders(folder, `${scratch}/packages`)
    await writeFile(`${folder}/pets-${version}-licenses.txt`, licences)
    await writeFile(`${folder}/pets-${version}-sbom.cdx.json`, await billOfMaterials(commit, parts))
    for (const file of SYSTEMD) await copyFile(`${ROOT}/deploy/${file}`, `${folder}/${file}`)
    await writeFile(`${folder}/release-notes-${version}.md`, await releaseNotes())
    await writeChecksums(folder)
    return typeof other === 'string' ? other : undefined
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
  const missing = await makeRelease(`${ROOT}/dist`, commit)
  if (missing !== undefined) process.stderr.write(`${missing}\n`)
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
pass the files on. Who gets them checks them by sha256sum --check --ignore-missing SHA256SUMS.
`
}
