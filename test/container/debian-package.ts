/**
 * The Debian package on a Debian: installed, updated and taken back by the real dpkg with its scripts. Its program is a
 * small one, which systemd (../support/systemctl.ts) starts, and which at the end does not serve, as where the service of
 * an earlier version finds the database of a later one.
 */
import { writeFileSync } from 'node:fs'
import { textsOf, writeDebianPackage } from '../../scripts/release/debian.ts'
import type { Processor } from '../../scripts/release/other-node.ts'
import { temporaryFolder } from '../support/folder.ts'
import { writeSystemctl } from '../support/systemctl.ts'
import type { Buildah } from './buildah.ts'

const COMMIT = { id: '0'.repeat(40), atMs: Date.UTC(2026, 10, 23), isDirty: false }
const VERSIONS = ['1.0.9', '1.1.0']

/** It says its version, also when it serves, which it does not while this file is there. */
const programOf = (version: string) => `#!/bin/sh
[ "$1" = serve ] || { echo ${version}; exit; }
[ ! -e /tmp/refuses ] || exit 1
echo '${version} "msg":"serving"'
exec sleep infinity
`

const SCRIPT = `set -e
mkdir -p /run/systemd/system
have() {
  dpkg --force-depends --install /root/pets-$1.deb
  dpkg-query --show --showformat '\${Version} is \${db:Status-Status}\\n' pet-adoption-service
  echo "pets is $(pets)"
}
look() {
  stat -c '%n %U %G %a' /var/lib/pets /var/backups/pets
  cat /var/lib/pets/pets.db
  grep ^file-group /etc/pets.conf
  echo "$(cut -d ' ' -f 1 /usr/local/bin/log) runs"
}
have 1.0.9
[ ! -e /usr/local/bin/log ] # nobody has started it
systemctl enable --now pets
echo 'the animals' > /var/lib/pets/pets.db
echo file-group = backup >> /etc/pets.conf
chgrp backup /var/backups/pets
chmod 750 /var/backups/pets
have 1.1.0
look
touch /tmp/refuses
have 1.0.9
look
systemctl disable --now pets
`

/** All that was printed. `executable` of a release tells its help. */
export async function updateAndGoBack(buildah: Buildah, debian: string, executable: string): Promise<string> {
  const folder = temporaryFolder()
  const container = await buildah.create(debian)
  const put = (name: string, path: string) => buildah.run(['copy', '--quiet', container, `${folder}/${name}`, path])
  const texts = await textsOf(executable)
  for (const version of VERSIONS) {
    writeFileSync(`${folder}/program`, programOf(version))
    const program = { executable: `${folder}/program`, processor: process.arch as Processor, texts }
    await writeDebianPackage(folder, program, version, '', COMMIT)
    const architecture = process.arch.replace('x64', 'amd64')
    await put(`pet-adoption-service_${version}_${architecture}.deb`, `/root/pets-${version}.deb`)
  }
  writeSystemctl(folder)
  writeFileSync(`${folder}/script`, SCRIPT)
  await put('systemctl', '/usr/local/bin/')
  await put('script', '/root/')
  return await buildah.exec(container, ['sh', '-c', 'exec sh /root/script 2>&1'], [])
}
