/** What the README shows is what happens: its console blocks run, in order, against a service. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { it } from 'node:test'
import { Command } from 'commander'
import { environmentVariable } from '../src/cli/options.ts'
import { temporaryFolder } from './support/folder.ts'
import { shellNeeded } from './support/programs.ts'
import { startService } from './support/service.ts'

const ROOT = resolve(import.meta.dirname, '..')

interface Step {
  readonly command: string
  readonly shown: string
}

/** The commands of all ```console blocks, each with the lines shown under it. */
function stepsOf(markdown: string): Step[] {
  return [...markdown.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...shown] = step.trimEnd().split('\n')
        return { command, shown: shown.join('\n') }
      }),
  )
}

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

/**
 * One shell for all steps, so that a variable set in one step exists in the next; a mark ends the output of each step.
 */
function runAll(steps: readonly Step[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const mark = '--- next ---'
  const script = steps.map(({ command }) => `${command}\necho; echo '${mark}'`).join('\n')
  const shell = spawn('bash', ['-c', `exec 2>&1; ${script}`], { cwd: ROOT, env })
  let output = ''
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((done) => shell.on('close', () => done(output.split(mark).slice(0, -1))))
}

it('every command in the README prints what the README shows', shellNeeded, async () => {
  const database = `sqlite:${temporaryFolder()}/pets.db`
  await using service = await startService({ operatorPort: 'none', database })
  const steps = stepsOf(readFileSync(`${ROOT}/README.md`, 'utf8')).map(({ command, shown }) => ({
    command: command.replaceAll('http://127.0.0.1:8080/v1', service.baseUrl),
    shown,
  }))
  assert.ok(steps.length >= 6)
  const outputs = await runAll(steps, { ...process.env, PETS_DATABASE: database })
  steps.forEach(({ command, shown }, index) => {
    assert.equal(withoutChance(outputs[index] ?? ''), withoutChance(shown), command)
  })
})

it('every option of `pets serve` is in the table of the operations manual, with its variable', async () => {
  const { addServeOptions } = await import('../src/cli/serve/options.ts')
  const manual = readFileSync(`${ROOT}/docs/operations.md`, 'utf8')
  for (const option of addServeOptions(new Command('serve')).options.filter(({ hidden }) => !hidden)) {
    assert.ok(manual.includes(`\`${option.long}\``), `${option.long} is not in the manual`)
    assert.ok(
      manual.includes(`\`${environmentVariable(option)}\``),
      `${environmentVariable(option)} is not in the manual`,
    )
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
