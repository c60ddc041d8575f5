/** What docs/weekly-list.md shows is what happens: its lists are the files, and its commands run in order. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { temporaryFolder } from '../../support/folder.ts'
import { shellNeeded } from '../../support/shell.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const MARK = '--- next ---'

it('every command of the page about weekly lists prints what the page shows', shellNeeded, async () => {
  const page = readFileSync(`${ROOT}/docs/weekly-list.md`, 'utf8')
  const folder = temporaryFolder()
  const lists = [...page.matchAll(/(?:^ {4}.*\n)+/gm)].map(([block]) => block.replace(/^ {4}/gm, ''))
  for (const [week, list] of lists.entries()) writeFileSync(join(folder, `week-${week + 1}.csv`), list)
  assert.equal(lists.length, 2)
  symlinkSync(join(ROOT, 'pets'), join(folder, 'pets'))
  const steps = [...page.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block.split(/^\$ /m).slice(1),
  )
  const script = steps.map((step) => `${step.split('\n')[0]}\necho '${MARK}'`).join('\n')
  const shell = spawn('bash', ['-c', `exec 2>&1; ${script}`], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
  })
  const outputs = (await text(shell.stdout)).split(`${MARK}\n`)
  const told = (output: string) => output.trim().replaceAll(`${folder}/`, '').split('\n').toSorted()
  for (const [index, step] of steps.entries()) {
    const [command = '', ...shown] = step.split('\n')
    assert.deepEqual(told(outputs[index] ?? ''), told(shown.join('\n')), command)
  }
})
