/**
 * Follows docs/production.md line by line on a bare Debian with the package of a release. Its own network lets the real nginx and
 * the real service use the ports of the page. systemctl.ts replaces systemd.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/release/tree.ts'
import { temporaryFolder } from '../support/folder.ts'
import { writeSystemctl } from './systemctl.ts'

const run = promisify(execFile)
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024
const MARK = /<!-- not played -->$/

/** apt-get uses the machine's network. */
const SUDO = `#!/bin/sh
if [ "$1" = -u ]; then user=$2; shift 2; exec runuser -u "$user" -- "$@"; fi
if [ "$1" = apt-get ]; then exec nsenter --net=/run/network-of-machine "$@"; fi
exec "$@"
`

/** Enters this root with its own network, processes and mounts. */
const ENTER = `
  root=$1
  mount --bind "$root" "$root"
  mount --rbind /dev "$root/dev" && mount -t tmpfs tmpfs "$root/run" || exit
  touch "$root/run/network-of-machine" && mount --bind /proc/self/ns/net "$root/run/network-of-machine" || exit
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  exec unshare --net --pid --fork --kill-child sh -c '
    ip link set lo up && mount -t proc proc "$1/proc" && exec \\
    chroot "$1" env -i -C /root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \\
    DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 bash /root/guide' sh "$root"`

/** The examples for cron and systemd in the guides, as lines for a shell. */
function examples(): string {
  const text = ['operations', 'weekly-list'].map((name) => readFileSync(`${ROOT}/docs/${name}.md`, 'utf8')).join('')
  const cron = [...text.matchAll(/^(PATH=\S+)\n(?:\S+ ){5}pets (pets .*)$/gm)].map(
    ([, path, line]) => `su pets -s /bin/sh -c 'cd; ${path}; ${line}' 2>&1 || echo "cron ends with $?"`,
  )
  const units = [...text.matchAll(/^ExecStart=(.*)$/gm)].map(([, line]) => `sudo -u pets ${line}`)
  assert.deepEqual([cron.length, units.length], [2, 1])
  return [
    `printf 'Animal ID,Animal Name,Species,Status\\nA-1001,Rex,Dog,Available\\n' | sudo -u pets tee /var/lib/pets/list.csv`,
    // Someone confirms the first file of a layout.
    'sudo -u pets pets sync /var/lib/pets/list.csv --adopt --missing sold --yes',
    ...cron,
    ...units,
  ].join('\n')
}

/** Lines that show the result of the page's blocks. */
const LOOK = `
echo "animals: $(sudo -u pets pets export | wc -l)"
for path in / /metrics; do
  echo "office $path: $(curl --silent --output /dev/null --write-out '%{http_code}' "https://office.example$path")"
done
echo "interface: $(curl --silent --output /dev/null --write-out '%{http_code}' --header "Authorization: Bearer $KEY" \\
  https://pets.example/v1/pets)"
systemctl stop pets.socket pets
curl --silent https://pets.example/v1/pets
`

/** The blocks in order, without those that the page marks as not played. Throws if a block is not for a shell. */
function playedBlocks(page: string): readonly string[] {
  const parts = page.split(/^```/m)
  assert.equal(parts.length % 2, 1, 'each block ends')
  return parts.flatMap((block, index) => {
    if (index % 2 === 0) return []
    assert.match(block, /^sh\n/, 'a block is for a shell, so that it can be played')
    return MARK.test(parts[index - 1]?.trim() ?? '') ? [] : [block.slice('sh\n'.length)]
  })
}

export const LATER = '99.0.0'

/** Packs the same program as a later version. */
export async function makeLater(debianPackage: string, destination: string): Promise<void> {
  const folder = `${temporaryFolder()}/later`
  await run('dpkg-deb', ['--raw-extract', debianPackage, folder])
  const control = readFileSync(`${folder}/DEBIAN/control`, 'utf8')
  writeFileSync(`${folder}/DEBIAN/control`, control.replace(/^Version: .*/m, `Version: ${LATER}`))
  await run('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', folder, destination])
}

/** Returns the output, or throws with it if a line fails. `root` is a Debian with apt. */
export async function followProductionGuide(root: string, debianPackage: string): Promise<string> {
  const page = readFileSync(`${ROOT}/docs/production.md`, 'utf8')
  const [before = '', update = ''] = page.split(/^(?=## Updating)/m)
  const [later = '', earlier = ''] = playedBlocks(update)
  const installed = `echo "installed: $(dpkg-query --show --showformat '\${Version}' pet-adoption-service)"`
  const have = (version: string) => `rm *.deb; cp /root/${version}/*.deb .`
  const updates = [have('later'), later, installed, have('earlier'), earlier, installed]
  const blocks = [...playedBlocks(before), ...updates]
  const hosts = `127.0.0.1 localhost pets.example office.example`
  const script = ['set -e -o pipefail', `echo '${hosts}' > /etc/hosts`, ...blocks, examples(), LOOK].join('\n')
  const put = (path: string, text: string, mode = 0o644) => writeFileSync(`${root}/${path}`, text, { mode })
  put('root/guide', script)
  put('usr/local/bin/sudo', SUDO, 0o755)
  writeSystemctl(`${root}/usr/local/bin`)
  put('etc/apt/apt.conf.d/small', 'APT::Install-Recommends "false";\nAPT::Sandbox::User "root";\n')
  put('usr/sbin/policy-rc.d', '#!/bin/sh\nexit 101\n', 0o755)
  copyFileSync(`${ROOT}/examples/animals.csv`, `${root}/root/animals.csv`)
  const name = basename(debianPackage)
  for (const folder of ['earlier', 'later']) mkdirSync(`${root}/root/${folder}`)
  for (const folder of ['root', 'root/earlier']) copyFileSync(debianPackage, `${root}/${folder}/${name}`)
  await makeLater(debianPackage, `${root}/root/later/${name}`)
  const { stdout } = await run('unshare', ['--mount', 'sh', '-c', `exec 2>&1; ${ENTER}`, 'sh', root], {
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  return stdout
}
