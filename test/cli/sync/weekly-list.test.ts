/** What docs/weekly-list.md shows is what happens: its lists are the files, and its commands run in order. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../support/folder.ts'
import { shellNeeded } from '../../support/programs.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const MARK = '--- next ---'
const PAGE = readFileSync(`${ROOT}/docs/weekly-list.md`, 'utf8')
const LISTS = [...PAGE.matchAll(/(?:^ {4}.*\n)+/gm)].map(([block]) => block.replace(/^ {4}/gm, ''))

describe('the page about weekly lists', shellNeeded, () => {
  it('shows what every command of it prints', async () => {
    const folder = temporaryFolder()
    for (const [week, list] of LISTS.entries()) writeFileSync(join(folder, `week-${week + 1}.csv`), list)
    assert.equal(LISTS.length, 2)
    symlinkSync(join(ROOT, 'pets'), join(folder, 'pets'))
    const steps = [...PAGE.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
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

  it('has a line for cron and a unit for systemd that take the list, and refuse a wrong one with exit code 1', () => {
    const lineOf = (what: RegExp) => what.exec(PAGE)?.[1] ?? assert.fail(`no ${what}`)
    for (const command of [lineOf(/^0 6 \* \* 1 pets (.+)$/m), lineOf(/^ExecStart=(.+)$/m)]) {
      const folder = temporaryFolder()
      const here = (line: string) => line.replaceAll('/var/lib/pets', folder).replace('/usr/local/bin', ROOT)
      const env = {
        ...process.env,
        PATH: `${ROOT}:${process.env.PATH}`,
        PETS_DATABASE: here('sqlite:/var/lib/pets/pets.db'),
      }
      const play = (list: string) => {
        writeFileSync(join(folder, 'list.csv'), list)
        const { status, stderr } = spawnSync('sh', ['-c', here(command)], { env, encoding: 'utf8' })
        return { status, stderr }
      }
      spawnSync(join(ROOT, 'pets'), ['keys', 'create', '--create', '--plan', 'free'], { env })
      const list = (LISTS[0] ?? '').replaceAll('Animal Name', 'name').replaceAll('On hold', 'pending')
      assert.equal(play(list).status, 0, command)
      const { status, stderr } = play(list.split('\n').slice(0, 2).join('\n'))
      assert.equal(status, 1, command)
      assert.match(stderr, /3 of 4 animals would change or go, more than 10%; nothing was changed\./)
    }
    assert.equal(lineOf(/^PathChanged=(.+)$/m), '/var/lib/pets/list.csv')
  })
})
