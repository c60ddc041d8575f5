/** What tests of crashes and disks share: keys made without a service, and what a database holds. */
import assert from 'node:assert/strict'
import { linesOf } from './commands/commands.ts'
import { pets } from './service.ts'

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export async function issue(database: string, ...plan: string[]): Promise<string> {
  const of = ['--create', '--json', '--database', database]
  const { stdout, stderr, code } = await pets(['keys', 'create', ...of, '--plan', ...plan])
  assert.equal(code, 0, stderr)
  return (JSON.parse(stdout) as { key: string }).key
}

/** Arguments of `issue` for a key that is never used up. */
export const LARGE = ['enterprise', '--per-minute', '1000000', '--per-day', '1000000']

/** The names of all animals, by id. */
export async function stored(database: string): Promise<Map<number, string>> {
  const { stdout, code, stderr } = await pets(['export', '--database', database])
  assert.equal(code, 0, stderr)
  return new Map(linesOf<{ id: number; name: string }>(stdout).map(({ id, name }) => [id, name]))
}
