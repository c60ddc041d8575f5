/** What the README shows is what happens: its console blocks run, in order, against a service. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { it } from 'node:test'
import { Command } from 'commander'
import { variableOf } from '../src/cli/options.ts'
import { playConsole } from './support/console.ts'
import { newDatabase } from './support/folder.ts'
import { shellNeeded } from './support/programs.ts'
import { startService } from './support/service.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** Replaces ids, times and the widths that depend on them, which differ between runs. */
function withoutChance(text: string): string {
  return text
    .replaceAll('\r', '')
    .replace(/key_[0-9a-f]{12}/g, 'key_…')
    .replace(/^X-RateLimit-Reset: \d{10}$/m, 'X-RateLimit-Reset: …')
    .replace(/^Date: .*$/m, 'Date: …')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\dZ/g, '…Z')
    .replace(/^(key_….* {2})-( +Harbour)/m, '$1…Z$2')
    .replace(/ +/g, ' ')
    .trim()
}

it('every command in the README prints what the README shows', shellNeeded, async () => {
  const database = newDatabase()
  await using service = await startService({ operatorPort: 'none', database, args: ['--first-key'] })
  const steps = await playConsole(readFileSync(`${ROOT}/README.md`, 'utf8'), {
    env: { PETS_DATABASE: database },
    replace: (command) => command.replaceAll('http://127.0.0.1:8080/v1', service.baseUrl),
  })
  assert.ok(steps.length >= 6)
  for (const { command, shown, printed } of steps) assert.equal(withoutChance(printed), withoutChance(shown), command)
})

it('every option of `pets serve` is in the table of the operations manual, with its variable', async () => {
  const { addServeOptions } = await import('../src/cli/serve/options.ts')
  const manual = readFileSync(`${ROOT}/docs/operations.md`, 'utf8')
  for (const option of addServeOptions(new Command('serve')).options.filter(({ hidden }) => !hidden)) {
    assert.ok(manual.includes(`\`${option.long}\``), `${option.long} is not in the manual`)
    assert.ok(manual.includes(`\`${variableOf(option.name())}\``), `${variableOf(option.name())} is not in the manual`)
  }
})

it('every dependency has its reason in docs/dependencies.md', () => {
  const manifest = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as Record<string, Record<string, string>>
  const reasons = readFileSync(`${ROOT}/docs/dependencies.md`, 'utf8')
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  for (const name of names.filter((name) => !name.startsWith('@types/'))) {
    assert.ok(reasons.includes(`\`${name}\``), `${name} has no reason`)
  }
})
