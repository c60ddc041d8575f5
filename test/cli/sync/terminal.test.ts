/** The questions that an import and a sync ask a person on a terminal. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pets } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { inTerminal, terminalNeeded } from '../terminal.ts'

const ANIMALS = 'Animal Name,Species,Status\nBella,Dog,Available\nRex,Dog,Available\n'

function folderWith(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return { in: (name: string) => join(folder, name), database: ['--database', `sqlite:${folder}/pets.db`] }
}

describe('on a terminal', terminalNeeded, () => {
  it('a sync keeps its options when a person says that new rows are animals that are here', async () => {
    const list = 'Animal Name,Species,Code,Number,Status\nBella,Dog,A1,17,Available\nRex,Dog,A2,18,Available\n'
    const folder = folderWith({ 'before.csv': ANIMALS, 'list.csv': list })
    await pets(['import', folder.in('before.csv'), '--yes', '--create', ...folder.database])
    const { says, type, ended, shown } = inTerminal('sync', folder.in('list.csv'), '--ref', 'Code', ...folder.database)
    await says(/Are they the same animals\? \[y\/N\]/)
    type('y\r')
    await says(/Make the animals agree with these 2 rows\? \[y\/N\]/)
    type('y\r')
    assert.equal(await ended, 0, shown())
    const { stdout } = await pets(['export', '--with-origin', ...folder.database])
    assert.deepEqual([stdout.includes('"reference":"A1"'), stdout.trim().split('\n').length], [true, 2], stdout)
  })

  it('an import adds the animals only if a person agrees', async () => {
    const folder = folderWith({ 'list.csv': ANIMALS })
    for (const [keys, code, names] of [
      ['n\r', 1, ''],
      ['\r', 1, ''],
      ['y\r', 0, 'Bella Rex'],
    ] as const) {
      const { says, type, ended, shown } = inTerminal('import', folder.in('list.csv'), '--create', ...folder.database)
      await says(/Import 2 animals like this\? \[y\/N\]/)
      type(keys)
      assert.equal(await ended, code, shown())
      const { stdout } = await pets(['export', ...folder.database])
      assert.equal([...stdout.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name).join(' '), names)
    }
  })
})
