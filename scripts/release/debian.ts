/** Makes the Debian package: the program with its own Node, the systemd units, the scripts of deploy/debian, a manual page. */
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { manualPage } from './manual-page.ts'
import { placeProgram } from './program.ts'
import { type Commit, MANIFEST, ROOT, run } from './tree.ts'

export const PROCESSORS = ['x64', 'arm64'] as const
/** Node's names. */
export type Processor = (typeof PROCESSORS)[number]

const NAME = 'pet-adoption-service'
/** Debian's names of the processors. */
const ARCHITECTURES: Readonly<Record<Processor, string>> = { x64: 'amd64', arm64: 'arm64' }
/** Settings of the package that differ from the example of `pets config`. */
export const SET = { database: 'sqlite:/var/lib/pets/pets.db', 'operator-port': '8081' }
/** /usr/share/doc links to these, so that links between documents work. */
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'deploy', 'examples']

/** Writes the package for `processor` into `folder`. Throws if dpkg-deb or npm fails. */
export async function writeDebianPackage(
  folder: string,
  processor: Processor,
  commit: Commit,
  scratch: string,
): Promise<void> {
  const program = `${scratch}/usr/lib/${NAME}`
  await placeProgram(program, processor, commit.id)
  await writeFile(`${program}/deploy/pets.conf`, withSettings(await printed('config')))
  await mkdir(`${scratch}/usr/bin`)
  await symlink(`../lib/${NAME}/pets`, `${scratch}/usr/bin/pets`)
  await mkdir(`${scratch}/usr/lib/systemd/system`, { recursive: true })
  for (const unit of ['pets.service', 'pets.socket'])
    await cp(`${ROOT}/deploy/${unit}`, `${scratch}/usr/lib/systemd/system/${unit}`)
  await writeDocuments(`${scratch}/usr/share`, commit)
  await cp(`${ROOT}/deploy/debian`, `${scratch}/DEBIAN`, { recursive: true })
  await writeFile(`${scratch}/DEBIAN/control`, await control(ARCHITECTURES[processor], scratch))
  const atS = commit.atMs / 1000
  await run('chmod', ['--recursive', 'u=rwX,go=rX', scratch])
  await run('find', [scratch, '-exec', 'touch', '--no-dereference', '--date', `@${atS}`, '{}', '+'])
  const file = `${folder}/${NAME}_${MANIFEST.version}_${ARCHITECTURES[processor]}.deb`
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(atS) }
  await run('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z9', '--build', scratch, file], { env })
}

/** The output of this tree's own command, which is the same for each processor. */
async function printed(...args: string[]): Promise<string> {
  const env = { ...process.env, PETS_STARTED_AS: 'pets' }
  return (await run(process.execPath, [`${ROOT}/src/cli/pets.js`, ...args], { env })).stdout
}

async function writeDocuments(share: string, { atMs }: Commit): Promise<void> {
  const documents = `${share}/doc/${NAME}`
  await mkdir(documents, { recursive: true })
  for (const name of DOCUMENTS) await symlink(`../../../lib/${NAME}/${name}`, `${documents}/${name}`)
  const licence = await readFile(`${ROOT}/LICENSE`, 'utf8')
  const others = `Each package in /usr/lib/${NAME}/node_modules contains its own licence.\n`
  await writeFile(`${documents}/copyright`, `${licence}\n${others}`)
  await mkdir(`${share}/man/man1`, { recursive: true })
  const page = manualPage(await printed('--help'), await printed('serve', '--help'), MANIFEST.version, new Date(atMs))
  await writeFile(`${share}/man/man1/pets.1.gz`, gzipSync(page))
}

async function control(architecture: string, scratch: string): Promise<string> {
  const entries = await readdir(`${scratch}/usr`, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(`${parentPath}/${name}`)).size))
  return `Package: ${NAME}
Version: ${MANIFEST.version.replace('-', '~')}
Architecture: ${architecture}
Maintainer: The pet adoption service <root@localhost>
Installed-Size: ${Math.ceil(sizes.reduce((total, size) => total + size, 0) / 1024)}
Depends: libatomic1, libc6 (>= 2.28), libstdc++6, passwd
Section: web
Priority: optional
Description: HTTP service that lists, adds and fetches animals for adoption
 One process on one SQLite file, or nodes on PostgreSQL and Redis, with API keys
 and plans, and an office for staff in the browser.
`
}

/** The example of the settings file, with the package's own settings. */
function withSettings(example: string): string {
  return Object.entries(SET).reduce((text, [name, value]) => {
    const line = new RegExp(`^#${name} = .*$`, 'm')
    if (!line.test(text)) throw new Error(`pets config has no line for ${name}`)
    return text.replace(line, `${name} = ${value}`)
  }, example)
}
