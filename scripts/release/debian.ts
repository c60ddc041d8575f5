/**
 * Makes the Debian package: the executable with its systemd unit, settings, documents and manual page. The
 * package creates the user of the service. Removing or purging it does not delete the data.
 */
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync, zstdCompress } from 'node:zlib'
import { type ArchiveEntry, ar, tar } from './archive.ts'
import { manualPage } from './manual-page.ts'
import type { Processor } from './other-node.ts'
import { type Commit, ROOT, run } from './tree.ts'

const compress = promisify(zstdCompress)

const NAME = 'pet-adoption-service'
/** Debian's names of the processors. */
const ARCHITECTURES: Readonly<Record<Processor, string>> = { x64: 'amd64', arm64: 'arm64' }
const SETTINGS = 'etc/pets.conf'
/** Settings that differ in the package from the example of `pets config`. */
const SET = { database: 'sqlite:/var/lib/pets/pets.db', 'operator-port': '8081' }
const DOCUMENTS = ['README.md', 'SECURITY.md', 'docs/*.md', 'deploy/**/README.md', 'examples/*']
const PROGRAMS = ['usr/bin/pets', `usr/share/${NAME}/update`]
/** What docs/production.md tells the operator to copy from the package. */
const FOR_PRODUCTION = [
  'deploy/{update,nginx.conf,nginx-office.conf,Caddyfile,haproxy.cfg}',
  'deploy/monitoring/*.{yaml,json}',
]

const SCRIPTS = {
  postinst: `#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
getent passwd pets >/dev/null || useradd --system --home-dir /var/lib/pets --shell /usr/sbin/nologin pets
# The settings may hold the password of a database, and the commands read them as this user.
[ "$2" ] || chgrp pets /${SETTINGS}
# A folder that is there may be open to a group, for backups.
for folder in /var/lib/pets /var/backups/pets; do
  [ -d "$folder" ] || install -d -o pets -g pets -m 700 "$folder"
done
# What update and commands of 2.0.0 left.
rm -rf /usr/bin/pets.before /usr/bin/pets.failed /usr/lib/systemd/system/pets.service.before /node_modules/.pets-compile-cache
rmdir /node_modules 2>/dev/null || :
if [ -e /etc/systemd/system/pets.service ]; then
  echo '/etc/systemd/system/pets.service hides the unit of this package, so what it names goes on; see' \\
    '/usr/share/doc/pet-adoption-service/deploy/README.md' >&2
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # After an update; a service that nobody started stays as it is. That it does not start is no failure to install.
  systemctl try-restart pets || echo 'pets does not run with this version: journalctl --unit pets says why.' >&2
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --now pets.socket pets; fi
`,
  postrm: `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ "$1" = purge ]; then echo 'The animals stay in /var/lib/pets, backups in /var/backups/pets, and the user pets.'; fi
`,
}

interface PackageContents {
  readonly executable: string
  readonly processor: Processor
  /** What the program says of itself on any processor (`textsOf`). */
  readonly texts: Texts
}

type Texts = Readonly<Record<'help' | 'options' | 'example', string>>

/** Help and an example of its settings, as the program for this machine prints them. */
export async function textsOf(runnable: string): Promise<Texts> {
  const env = { ...process.env, PETS_STARTED_AS: 'pets' }
  const lines: Readonly<Record<keyof Texts, readonly string[]>> = {
    help: ['--help'],
    options: ['serve', '--help'],
    example: ['config'],
  }
  const printed = Object.entries(lines).map(async ([name, args]) => [name, (await run(runnable, args, { env })).stdout])
  return Object.fromEntries(await Promise.all(printed))
}

/** Writes the package of `executable` into `folder`. */
export async function writeDebianPackage(
  folder: string,
  program: PackageContents,
  version: string,
  licences: string,
  { atMs }: Commit,
): Promise<void> {
  const architecture = ARCHITECTURES[program.processor]
  const files = await contents(program, version, licences, atMs)
  const bytes = files.reduce((total, { content }) => total + content.length, 0)
  const control = `Package: ${NAME}
Version: ${version.replace('-', '~')}
Architecture: ${architecture}
Maintainer: The pet adoption service <root@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libatomic1, libc6 (>= 2.28), libstdc++6, passwd
Section: web
Priority: optional
Description: HTTP service that lists, adds and fetches animals for adoption
 One process on one SQLite file, or nodes on PostgreSQL and Redis, with API keys
 and plans, and an office for staff in the browser.
`
  const sums = files
    .filter(({ path }) => !path.endsWith('/'))
    .map(({ path, content }) => `${hash('md5', content, 'hex')}  ${path}\n`)
  const text = (path: string, content: string, mode = 0o644) => ({ path, mode, content: Buffer.from(content) })
  const parts = [
    text('control', control),
    text('conffiles', `/${SETTINGS}\n`),
    text('md5sums', sums.join('')),
    ...Object.entries(SCRIPTS).map(([name, script]) => text(name, script, 0o755)),
  ]
  const members = [
    ['debian-binary', Buffer.from('2.0\n')],
    ['control.tar.gz', gzipSync(tar(parts, atMs))],
    ['data.tar.zst', await compress(tar(files, atMs))],
  ] as const
  await writeFile(`${folder}/${NAME}_${version}_${architecture}.deb`, ar(members, atMs))
}

/** All files of the package, and their folders. */
async function contents(
  { executable, texts: { help, options, example } }: PackageContents,
  version: string,
  licences: string,
  atMs: number,
): Promise<readonly ArchiveEntry[]> {
  const unit = await readFile(`${ROOT}/deploy/pets.service`, 'utf8')
  const socket = await readFile(`${ROOT}/deploy/pets.socket`)
  const page = manualPage(help, options, version, new Date(atMs))
  const licence = await readFile(`${ROOT}/LICENSE`, 'utf8')
  const files: Readonly<Record<string, string | Buffer | undefined>> = {
    [SETTINGS]: withSettings(example),
    'usr/bin/pets': await readFile(executable),
    'usr/lib/systemd/system/pets.service': unit.replaceAll('/usr/local/bin', '/usr/bin'),
    'usr/lib/systemd/system/pets.socket': socket,
    'usr/share/doc/pet-adoption-service/changelog.gz': gzipSync(await readFile(`${ROOT}/CHANGELOG.md`)),
    'usr/share/doc/pet-adoption-service/copyright': `${licence}\n${licences}`,
    'usr/share/man/man1/pets.1.gz': gzipSync(page),
    ...placed(FOR_PRODUCTION, (path) => `usr/share/${NAME}/${basename(path)}`),
    // At the same relative paths as in the clone, so that links between them work.
    ...placed(DOCUMENTS, (path) => `usr/share/doc/${NAME}/${path}`),
  }
  const entries = new Map<string, ArchiveEntry>()
  for (const [path, content = ''] of Object.entries(files)) {
    for (const [part] of path.matchAll(/\//g).map(({ index }) => [path.slice(0, index + 1)])) {
      if (part !== undefined) entries.set(part, { path: part, mode: 0o755, content: Buffer.alloc(0) })
    }
    const mode = path === SETTINGS ? 0o640 : PROGRAMS.includes(path) ? 0o755 : 0o644
    entries.set(path, { path, mode, content: Buffer.from(content) })
  }
  return [...entries.values()]
}

/** The example of the settings file, with the package's own settings. */
function withSettings(example: string): string {
  return Object.entries(SET).reduce((text, [name, value]) => {
    const line = new RegExp(`^#${name} = .*$`, 'm')
    if (!line.test(text)) throw new Error(`pets config has no line for ${name}`)
    return text.replace(line, `${name} = ${value}`)
  }, example)
}

/** Files of the clone by where they lie in the package. */
function placed(patterns: readonly string[], placeOf: (path: string) => string): Readonly<Record<string, Buffer>> {
  const files = globSync(patterns, { cwd: ROOT }).sort()
  return Object.fromEntries(files.map((path) => [placeOf(path), readFileSync(`${ROOT}/${path}`)]))
}
