/** The questions that an import and a sync ask a person on a terminal. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pets } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { inTerminal, terminalNeeded } from '../terminal.ts'

describe('a sync on a terminal', terminalNeeded, () => {
  it('keeps its options when a person says that new rows are animals that are here', async () => {
    const folder = temporaryFolder()
    const database = ['--database', `sqlite:${folder}/pets.db`]
    const [before, list] = [join(folder, 'before.csv'), join(folder, 'list.csv')]
    writeFileSync(before, 'Animal Name,Species,Status\nBella,Dog,Available\nRex,Dog,Available\n')
    await pets(['import', before, '--yes', '--create', ...database])
    writeFileSync(list, 'Animal Name,Species,Code,Number,Status\nBella,Dog,A1,17,Available\nRex,Dog,A2,18,Available\n')
    const { says, type, ended, shown } = inTerminal('sync', list, '--ref', 'Code', ...database)
    await says(/Are they the same animals\? \[y\/N\]/)
    type('y\r')
    await says(/Make the animals agree with these 2 rows\? \[y\/N\]/)
    type('y\r')
    assert.equal(await ended, 0, shown())
    const { stdout } = await pets(['export', '--with-origin', ...database])
    assert.deepEqual([stdout.includes('"reference":"A1"'), stdout.trim().split('\n').length], [true, 2], stdout)
  })
})

describe('an import on a terminal', terminalNeeded, () => {
  it('adds the animals only if a person agrees', async () => {
    const folder = temporaryFolder()
    const database = ['--database', `sqlite:${folder}/pets.db`]
    const list = join(folder, 'list.csv')
    writeFileSync(list, 'Animal Name,Species,Status\nBella,Dog,Available\nRex,Dog,Available\n')
    for (const [keys, code, names] of [
      ['n\r', 1, ''],
      ['\r', 1, ''],
      ['y\r', 0, 'Bella Rex'],
    ] as const) {
      const { says, type, ended, shown } = inTerminal('import', list, '--create', ...database)
      await says(/Import 2 animals like this\? \[y\/N\]/)
      type(keys)
      assert.equal(await ended, code, shown())
      const { stdout } = await pets(['export', ...database])
      assert.equal([...stdout.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name).join(' '), names)
    }
  })
})
