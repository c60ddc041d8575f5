/** Replaces systemd, which cannot run in a test, for guides that call `systemctl`. */
import { writeFileSync } from 'node:fs'

const SYSTEMCTL = `#!/bin/sh
cd "$(dirname "$0")" || exit
for unit in "$@"; do :; done
case "$unit" in
pets | sockets.target | supervise | become) ;;
pets.socket | daemon-reload | prometheus) exit 0 ;;
nginx) exec nginx ;;
*) echo "systemctl: not known here: $*"; exit 1 ;;
esac
# Also stops a process that was started in the meantime.
stop_for_good() {
  : > stopped
  until [ -e idle ]; do
    before=$(cat pid)
    [ "$before" = "$told" ] || kill -TERM "$before" 2>/dev/null
    told=$before
    sleep 0.02
  done
}
verb=$1
case "$verb" in
supervise)
  while [ -e "$0" ] && [ ! -e ended ]; do
    if [ -e stopped ]; then : > idle; sleep 0.02; continue; fi
    rm -f idle
    "$0" become
  done
  : > idle
  exit ;;
become)
  exec > log 2>&1
  echo $$ > pid.new
  mv pid.new pid
  unit=/etc/systemd/system/pets.service
  [ -e $unit ] || unit=/usr/lib/systemd/system/pets.service
  of() { sed -n "s/^$1=//p" $unit; }
  user=$(of User)
  install -d -o "$user" -g "$user" -m "$(of StateDirectoryMode)" "/var/lib/$(of StateDirectory)"
  cd "$(of WorkingDirectory)" && umask "$(of UMask)" || exit
  exec setpriv --reuid "$user" --regid "$user" --clear-groups \\
    env $(of Environment) $(of ExecStart) ;;
enable) verb=start ;;
disable) verb=stop; : > ended ;;
try-restart) [ -e supervised ] || exit 0; verb=restart ;;
esac
case "$verb" in
stop | restart) stop_for_good ;;
start) before=$(cat pid 2>/dev/null) ;;
esac
[ "$verb" != stop ] || exit 0
rm -f stopped
if [ ! -e supervised ]; then
  : > supervised
  setsid "$0" supervise < /dev/null > /dev/null 2>&1 &
fi
until [ -e pid ] && [ "$(cat pid)" != "$before" ]; do sleep 0.02; done
now=$(cat pid)
until grep -q '"msg":"serving' log; do
  kill -0 "$now" 2>/dev/null || { cat log; exit 1; }
  sleep 0.02
done
`

/** Writes it into a folder, where it also keeps its state and the log of the newest process. */
export function writeSystemctl(folder: string): void {
  writeFileSync(`${folder}/systemctl`, SYSTEMCTL, { mode: 0o755 })
}
