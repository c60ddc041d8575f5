/**
 * The guide for systemd in deploy/README.md, followed line by line on a bare Debian. Systemd is played
 * (../support/systemctl.ts). It installs 1.0.0 with its settings in the unit, since the settings file came later,
 * updates to this version and goes back.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { ROOT } from '../../scripts/release/tree.ts'
import { LAST_COMMIT_OF_1_0_0, treeOf } from '../support/earlier.ts'
import { temporaryFolder } from '../support/folder.ts'
import { writeSystemctl } from '../support/systemctl.ts'
import type { Buildah } from './buildah.ts'

const SUDO = `#!/bin/sh
if [ "$1" = -u ]; then user=$2; shift 2; exec runuser -u "$user" -- "$@"; fi
exec "$@"
`

const DATABASE = 'PETS_DATABASE=sqlite:/var/lib/pets/pets.db'

/**
 * What the guide printed in the end. Throws with all that was printed when a line of it fails. `executable` of a
 * release.
 */
export async function followSystemdGuide(
  buildah: Buildah,
  debian: string,
  executable: string,
  ports: readonly [number, number],
): Promise<string> {
  const [install = '', key, backups, update, back, remove] = blocks()
  const [settings = ''] = /^pets config[\s\S]*pets\.conf$/m.exec(install) ?? []
  const script = `set -e
cd /root
# Puts the executable of a release into the folder, as the only one.
get() { rm -f pets-*-linux-*; cp /releases/$1 pets-$1-linux-x64; }
version() { pets --version | cut -d ' ' -f 1; }
get earlier
${install.replace(settings, '')}
version
key=$(sudo -u pets env ${DATABASE} pets keys create --plan free)
post() {
  exec 3<>/dev/tcp/127.0.0.1/${ports[0]}
  printf 'POST /v1/pets HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer %s\\r\\nContent-Type: application/json\\r\\n' "$key" >&3
  printf 'Connection: close\\r\\nContent-Length: 29\\r\\n\\r\\n{"name":"Rex","categoryId":1}' >&3
  head -n 1 <&3
}
animals() { sudo -u pets env ${DATABASE} pets export | wc -l; }
post
stat -c '%U %a' /var/lib/pets
get later
# As an earlier update and going back have left them.
mkdir /var/lib/pets.before /var/lib/pets.after
${update}
${settings}
version
test -n "$(${key?.trim()})"
post
echo "after the update: $(animals)"
echo backup-dir = /var/backups/pets >> /etc/pets.conf
${backups}
until ls /var/backups/pets | grep -q '^pets-.*Z.db$'; do sleep 0.05; done
stat -c '%U %a' /var/backups/pets/pets-*Z.db
sudo -u pets env ${DATABASE} /releases/earlier export 2>&1 || echo "refused"
get earlier
${back}
version
echo "gone back: $(animals)"
${remove}
test ! -e /usr/local/bin/pets -a ! -e /etc/systemd/system/pets.socket
ls /var/lib/pets
`
  const folder = temporaryFolder()
  writeFileSync(`${folder}/guide`, script)
  writeFileSync(`${folder}/pets.env`, `PETS_PORT=${ports[0]} PETS_OPERATOR_PORT=${ports[1]}\n`)
  writeFileSync(`${folder}/sudo`, SUDO, { mode: 0o755 })
  writeSystemctl(folder)
  const container = await buildah.create(debian)
  const put = (file: string, path: string) => buildah.run(['copy', '--quiet', container, file, path])
  await put(await earlierExecutable(), '/releases/earlier')
  await put(executable, '/releases/later')
  const unit = readFileSync(`${ROOT}/deploy/pets.service`, 'utf8')
  writeFileSync(`${folder}/pets.service`, unit.replace(/ --create --config .*/, `\nEnvironment=${DATABASE}`))
  await put(`${folder}/pets.service`, '/root/')
  await put(`${ROOT}/deploy/pets.socket`, '/root/')
  await put(`${folder}/guide`, '/root/')
  await put(`${folder}/pets.env`, '/etc/')
  await put(`${folder}/sudo`, '/usr/local/bin/')
  await put(`${folder}/systemctl`, '/usr/local/bin/')
  await buildah.exec(container, ['apt-get', 'update', '-qq'], [])
  return await buildah.exec(container, ['bash', '/root/guide'], ['DEBIAN_FRONTEND=noninteractive'])
}

/** Of the last commit with the number 1.0.0, by its own scripts. The first has no executable. */
async function earlierExecutable(): Promise<string> {
  const id = LAST_COMMIT_OF_1_0_0
  const scripts = `${await treeOf(id)}/scripts/release`
  type Scripts = typeof import('../../scripts/release/bundle.ts') &
    typeof import('../../scripts/release/executable.ts') &
    typeof import('../../scripts/release/program-files.ts')
  const modules = ['bundle', 'executable', 'program-files'].map((name) => import(`${scripts}/${name}.ts`))
  const { bundle, programFiles, writeExecutable }: Scripts = Object.assign({}, ...(await Promise.all(modules)))
  const output = `${temporaryFolder()}/pets`
  const program = await bundle(['src/cli/pets.ts'], { id, atMs: 0, isDirty: false }, false)
  await writeExecutable(output, program, await programFiles(), temporaryFolder())
  return output
}

/** The commands of the guide: to install, for the first key, for backups, to update, to go back, to remove. */
function blocks(): readonly string[] {
  const guide = readFileSync(`${ROOT}/deploy/README.md`, 'utf8').split('\n## Under systemd\n')[1] ?? ''
  return [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands)
}
