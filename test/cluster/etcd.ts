/** Three etcd servers, which record the leader of PostgreSQL. */
import { findProgram, skipUnless } from '../support/programs.ts'
import { notAsRoot } from '../support/servers/servers.ts'
import { MACHINES, type Machine, type Site } from './site.ts'

const program = findProgram('etcd')

/** For `test({ ...etcdNeeded })`. */
export const etcdNeeded = skipUnless(program !== undefined, 'there is no etcd on the path; install etcd-server')

export function startEtcd(site: Site): void {
  for (const machine of MACHINES) {
    const env = site.renderEnv('etcd.env', machine)
    // The members reach each other without doors: the nemesis leaves them alone.
    for (const [name, value] of Object.entries(env)) env[name] = inside(site, value)
    site.makeFolder(`pets${machine}`, 'var', 'lib', 'etcd')
    site.start(`etcd${machine}`, { command: [String(program)], env, user: notAsRoot })
  }
}

/** Whether the members have agreed on a version: Patroni ends when it asks before. */
export async function etcdHasBegun(site: Site): Promise<boolean> {
  const versions = MACHINES.map(async (machine) => {
    const response = await fetch(`http://${site.inside(machine)}:${site.port('etcd')}/version`)
    return ((await response.json()) as { etcdcluster: string }).etcdcluster
  })
  const found = await Promise.all(versions).catch(() => ['not_decided'])
  return !found.includes('not_decided')
}

function inside(site: Site, text: string): string {
  const replace = (text: string, machine: Machine) => text.replaceAll(site.outside(machine), site.inside(machine))
  return MACHINES.reduce(replace, text)
}
