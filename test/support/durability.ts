/**
 * What tests of crashes and disks share: services that are killed, keys made without them, and what a database holds.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { pets, type RunningService } from './service.ts'

export const portOf = (service: RunningService) => Number(new URL(service.baseUrl).port)
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export async function kill(service: RunningService): Promise<void> {
  const ended = once(service.process, 'exit')
  service.process.kill('SIGKILL')
  await ended
}

export async function issue(database: string, ...plan: string[]): Promise<string> {
  const { stdout, stderr, code } = await pets([
    'keys',
    'create',
    '--create',
    '--json',
    '--database',
    database,
    '--plan',
    ...plan,
  ])
  assert.equal(code, 0, stderr)
  return (JSON.parse(stdout) as { key: string }).key
}

/** Arguments of `issue` for a key that is never used up. */
export const LARGE = ['enterprise', '--per-minute', '1000000', '--per-day', '1000000']

/** The names of all animals, by id. */
export async function stored(database: string): Promise<Map<number, string>> {
  const { stdout, code, stderr } = await pets(['export', '--database', database])
  assert.equal(code, 0, stderr)
  const lines = stdout.split('\n').filter((line) => line !== '')
  const animals = lines.map((line) => JSON.parse(line) as { id: number; name: string })
  return new Map(animals.map(({ id, name }) => [id, name]))
}
