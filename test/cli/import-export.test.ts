/** `pets import` and `pets export` as commands: all or nothing, their messages, and a round trip. */
import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { describe, it } from 'node:test'
import { assertDone, assertRefused, pets } from '../support/commands/commands.ts'
import { newDatabase, temporaryFolder } from '../support/folder.ts'
import { createdId, startPets, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const HEADER = 'name,categoryId,status\n'

describe('import and export', { concurrency: 2 }, () => {
  const onNewDatabase = () => ['--database', newDatabase()]
  const exported = async (database: string[], ...more: string[]) =>
    assertDone(await pets(['export', ...database, ...more])).stdout

  it('every invalid row is reported by its line, up to twenty (R10)', async () => {
    const rows = Array.from({ length: 30 }, (_, i) => (i % 6 === 5 ? `ok,${i},sold\n` : `bad,x${i},zzz\n`))
    const result = await pets(['import', '--create', '-', ...onNewDatabase()], { input: HEADER + rows.join('') })
    assertRefused(result, /^… and 5 more\.\n[\s\S]*Nothing was imported: the file has 25 invalid rows\. /m)
    assert.equal(result.stderr.match(/^Line \d+: status: "zzz" is not .*; category: /gm)?.length, 20)
  })

  it('a file that breaks off half-way imports nothing, also with --skip-invalid', async () => {
    const database = onNewDatabase()
    const input = `${HEADER}${'A,1,\n'.repeat(5_000)}"B"b,1,\n`
    for (const more of [[], ['--skip-invalid']])
      assertRefused(await pets(['import', '--create', '-', ...more, ...database], { input }), /Line 5002: the quotes/)
    assert.equal(await exported(database), '')
  })

  it('a command in a folder without a database creates none unless told to', async () => {
    const empty = temporaryFolder()
    const here = (...args: string[]) => pets(args, { input: `${HEADER}A,1,\n`, cwd: empty })
    for (const command of ['import -', 'keys create --plan free', 'keys list', 'find a', 'export']) {
      const sentence = `There is no database at ${empty}/data/pets.db; go to the folder of the service`
      const { code, stdout, stderr } = await here(...command.split(' '))
      assert.deepEqual([code, stdout, stderr.startsWith(sentence)], [2, '', true], stderr)
    }
    assertRefused(await here('import', 'none.csv', '--create'), /none\.csv cannot be read: it does not exist/)
    assert(!existsSync(`${empty}/data`))
    const made = await here('import', '-', '--create')
    assert.deepEqual([made.code, made.stdout], [0, '1 animal imported.\n'])
    assert(made.stderr.includes(`Creating a new database: ${empty}/data/pets.db`))
  })

  it('an export escapes control characters only for a terminal', async () => {
    const database = onNewDatabase()
    const name = 'a\u001b[31m\u009b\u202eb\nc\rd'
    await pets(['import', '-', '--create', ...database], { input: JSON.stringify({ name, categoryId: 1 }) })
    const inFile = `id,name,categoryId,status\n1,"${name}",1,\n`
    assert.equal((await exported(database, '--format', 'csv')).replaceAll('\r\n', '\n'), inFile)
    const shown = async (...more: string[]) => (await pets(['export', ...database, ...more], { columns: 80 })).stdout
    const csv = (await shown('--format', 'csv')).replaceAll('\r\n', '\n')
    assert.equal(csv, 'id,name,categoryId,status\n1,"a\\u{1b}[31m\\u{9b}\\u{202e}b\nc\\u{d}d",1,\n')
    const json = await shown()
    assert.doesNotMatch(json.trim(), /[\p{C}]/u)
    assert.equal(JSON.parse(json).name, name, 'the same to a parser')
  })

  it('an export that is read slowly is a snapshot and does not make the log of a service grow', async () => {
    const database = onNewDatabase()
    const input = `${HEADER}${`${'x'.repeat(1_000)},1,\n`.repeat(2_000)}`
    await pets(['import', '--create', '-', ...database], { input })
    await using service = await startService({ operatorPort: 'none', database: database[1] ?? '' })
    const { key } = await service.issueKey()
    const { process: child, ended, stdout } = startPets(['export', ...database])
    // And nothing more is read for now.
    await new Promise((resolve) => child.stdout?.once('data', () => resolve(child.stdout?.pause())))
    const create = () => createdId(service, key, 'y'.repeat(60_000))
    for (let n = 0; n < 20; n += 1) await Promise.all(Array.from({ length: 20 }, create))
    // A checkpoint that another process is in the way of is made with a later write.
    await until('the log of 24 MB of animals is short', async () => {
      await create()
      return statSync(`${(database[1] ?? '').slice('sqlite:'.length)}-wal`).size < 12 << 20
    })
    child.stdout?.resume()
    assert.deepEqual([await ended, stdout().trim().split('\n').length], [0, 2_000])
  })
})
