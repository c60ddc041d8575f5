/** An HAProxy on each machine, which connects the machine's node to PostgreSQL's leader. */
import { findProgram, skipUnless } from '../support/programs.ts'
import { notAsRoot } from '../support/servers/servers.ts'
import { MACHINES, type Site } from './site.ts'

const program = findProgram('haproxy')

/** For `test({ ...haproxyNeeded })`. */
export const haproxyNeeded = skipUnless(program !== undefined, 'there is no haproxy on the path; install it')

export function startHaproxy(site: Site): void {
  for (const machine of MACHINES) {
    const text = site.render('haproxy.cfg', machine, { '  user haproxy\n': '', '  group haproxy\n': '' })
    const config = site.write('haproxy.cfg', machine, text)
    site.start(`haproxy${machine}`, { command: [String(program), '-db', '-f', config], user: notAsRoot })
  }
}
