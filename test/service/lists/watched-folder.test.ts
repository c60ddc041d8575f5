/** The folder of `pets sync --watch` and `serve --sync-from`: lists are taken once they are whole, and moved. */
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ListRefused } from '../../../src/service/lists/sync-list.ts'
import { WatchedFolder } from '../../../src/service/lists/watched-folder.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import { temporaryFolder } from '../../support/folder.ts'

const AT = '2026-11-23T12-00-00.000Z'

describe('a folder of lists', () => {
  /** With what is said, and what each list is answered. */
  function watched(answers: Readonly<Record<string, Error | string>>, meanwhile = (_file: string) => {}) {
    const path = temporaryFolder()
    const taken: string[] = []
    const told: string[] = []
    const folder = new WatchedFolder(path, {
      now: () => Date.UTC(2026, 10, 23, 12),
      sync: async (file, noteProblem) => {
        const name = file.slice(path.length + 1)
        taken.push(`${name} ${readFileSync(file, 'utf8')}`)
        meanwhile(file)
        const answer = answers[name] ?? 'done\n'
        if (typeof answer === 'string') return answer
        noteProblem('Line 3: is wrong.\n')
        throw answer
      },
      tell: (name, became, why) => told.push(`${name} ${became}: ${why}`),
    })
    return { path, folder, taken, told, put: (name: string, text: string) => appendFileSync(join(path, name), text) }
  }

  it('takes a list only when it has stopped to grow, once, and moves it under its time', async () => {
    const { path, folder, taken, put } = watched({})
    put('list.csv', 'a')
    await folder.look()
    put('list.csv', 'b')
    await folder.look()
    assert.deepEqual(taken, [])
    await folder.look()
    await folder.look()
    assert.deepEqual(taken, ['list.csv ab'])
    assert.deepEqual(readdirSync(join(path, 'done')), [`${AT} list.csv`])
    assert.equal(existsSync(join(path, 'list.csv')), false)
  })

  it('leaves alone what is no list', async () => {
    const { path, folder, taken, put } = watched({})
    for (const name of ['.list.csv', 'list.csv.part', 'notes.pdf']) put(name, 'x')
    mkdirSync(join(path, 'folder.csv'))
    await folder.look()
    await folder.look()
    assert.deepEqual(taken, [])
  })

  it('moves a list that is refused, with the reasons, and goes on with the next', async () => {
    const { path, folder, taken, put } = watched({ 'a.csv': new ListRefused('Nothing was changed.') })
    put('a.csv', '1')
    put('b.csv', '2')
    await folder.look()
    await folder.look()
    assert.deepEqual(taken, ['a.csv 1', 'b.csv 2'])
    assert.deepEqual(readdirSync(join(path, 'failed')), [`${AT} a.csv`, `${AT} a.csv.txt`])
    assert.equal(
      readFileSync(join(path, 'failed', `${AT} a.csv.txt`), 'utf8'),
      'Line 3: is wrong.\nNothing was changed.\n',
    )
  })

  it('moves no list that came under the name of the one that was read, done or refused, and takes it next', async () => {
    for (const answer of ['done', new ListRefused('Nothing was changed.')]) {
      let renewed = false
      const renew = (file: string) => {
        if (!renewed) appendFileSync(file, 'new')
        renewed = true
      }
      const { path, folder, taken, told, put } = watched({ 'a.csv': answer }, renew)
      put('a.csv', '1')
      for (let n = 0; n < 2; n += 1) await folder.look()
      assert.equal(readFileSync(join(path, 'a.csv'), 'utf8'), '1new')
      assert.deepEqual([...readdirSync(join(path, 'done')), ...readdirSync(join(path, 'failed'))], [])
      for (let n = 0; n < 2; n += 1) await folder.look()
      assert.deepEqual([taken, told.length], [['a.csv 1', 'a.csv 1new'], 2])
      assert.equal(existsSync(join(path, 'a.csv')), false)
    }
  })

  it('goes on if somebody takes a list away while it is read', async () => {
    const { folder, told, put } = watched({}, (file) => rmSync(file))
    put('a.csv', '1')
    for (let n = 0; n < 3; n += 1) await folder.look()
    assert.deepEqual(told, ['a.csv done: done\n'])
  })

  it('keeps a list that the database cannot take now, tries again, and says so once', async () => {
    const { path, folder, taken, told, put } = watched({ 'a.csv': new StoreUnavailable('it is busy.') })
    put('a.csv', '1')
    for (let n = 0; n < 4; n += 1) await folder.look()
    assert.deepEqual([taken.length, told.length], [3, 1])
    assert.deepEqual(readdirSync(path).toSorted(), ['a.csv', 'done', 'failed'])
  })

  it('is not held up by a list that fails unexpectedly, and each that stays is told once', async () => {
    const { folder, taken, told, put } = watched({ 'a.csv': new TypeError('a fault'), 'b.csv': new Error('another') })
    for (const name of ['a.csv', 'b.csv', 'c.csv']) put(name, '1')
    for (let n = 0; n < 4; n += 1) await folder.look()
    assert.equal(taken.filter((one) => one.startsWith('a.csv')).length, 3)
    assert.deepEqual(told.toSorted(), ['a.csv put off: a fault', 'b.csv put off: another', 'c.csv done: done\n'])
  })

  it('is refused where there is none, and told when it goes away', async () => {
    const nowhere = join(temporaryFolder(), 'nowhere')
    const watching = { now: () => 0, sync: async () => '', tell: () => {} }
    assert.throws(() => new WatchedFolder(nowhere, watching), /^FolderUnusable: The folder .+nowhere cannot be used/)
    mkdirSync(nowhere)
    const folder = new WatchedFolder(nowhere, watching)
    rmSync(nowhere, { recursive: true })
    await assert.rejects(folder.look(), /^FolderUnusable: The folder .+nowhere cannot be used/)
  })
})
