/** docs/weekly-list.md shows what its commands print for its lists. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { playConsole } from '../../support/console.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { shellNeeded } from '../../support/programs.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const PAGE = readFileSync(`${ROOT}/docs/weekly-list.md`, 'utf8')
const LISTS = [...PAGE.matchAll(/(?:^ {4}.*\n)+/gm)].map(([block]) => block.replace(/^ {4}/gm, ''))

describe('the page about weekly lists', shellNeeded, () => {
  it('shows what every command of it prints', async () => {
    const folder = temporaryFolder()
    for (const [week, list] of LISTS.entries()) writeFileSync(join(folder, `week-${week + 1}.csv`), list)
    assert.equal(LISTS.length, 2)
    const lines = (output: string) => output.replaceAll(`${folder}/`, '').split('\n').toSorted()
    for (const { command, shown, printed } of await playConsole(PAGE, { cwd: folder })) {
      assert.deepEqual(lines(printed), lines(shown), command)
    }
  })

  it('has a cron line and a systemd unit that sync the list, and exit 1 for a wrong one', () => {
    const lineOf = (what: RegExp) => what.exec(PAGE)?.[1] ?? assert.fail(`no ${what}`)
    for (const command of [lineOf(/^0 6 \* \* 1 pets (.+)$/m), lineOf(/^ExecStart=(.+)$/m)]) {
      const folder = temporaryFolder()
      const here = (line: string) => line.replaceAll('/var/lib/pets', folder).replace('/usr/local/bin', ROOT)
      const PATH = `${ROOT}:${process.env.PATH}`
      const env = { ...process.env, PATH, PETS_DATABASE: `sqlite:${folder}/pets.db` }
      const play = (list: string) => {
        writeFileSync(join(folder, 'list.csv'), list)
        const { status, stderr } = spawnSync('sh', ['-c', here(command)], { env, encoding: 'utf8' })
        return { status, stderr }
      }
      spawnSync(join(ROOT, 'pets'), ['keys', 'create', '--create', '--plan', 'free'], { env })
      const list = LISTS[0] ?? ''
      assert.equal(play(list).status, 1, 'nobody has confirmed it yet')
      spawnSync(join(ROOT, 'pets'), ['sync', join(folder, 'list.csv'), '--yes'], { env })
      assert.equal(play(list).status, 0, command)
      const { status, stderr } = play(list.split('\n').slice(0, 2).join('\n'))
      assert.equal(status, 1, command)
      assert.match(stderr, /3 of 4 animals would change or go\. If that is right, add --yes\. Nothing was changed\./)
    }
    assert.equal(lineOf(/^PathChanged=(.+)$/m), '/var/lib/pets/list.csv')
  })
})
