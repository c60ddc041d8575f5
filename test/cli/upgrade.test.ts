/** A database of an earlier version is copied and checked before this version upgrades it. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { lockExclusively } from '../../src/store/sqlite/file/file-lock.ts'
import { schema } from '../../src/store/sqlite/file/migrations.ts'
import { EARLIER_VERSION, makeEarlierFile, schemaOf } from '../store/earlier.ts'
import { assertRefused, linesOf, pets } from '../support/commands/commands.ts'
import { alter, temporaryFolder } from '../support/folder.ts'
import { pets as petsProcess, startService } from '../support/service.ts'

function earlier() {
  const folder = temporaryFolder()
  const path = `${folder}/pets.db`
  makeEarlierFile(path)
  const copies = () => readdirSync(folder).filter((name) => name.includes('before-upgrade'))
  return { folder, path, database: `sqlite:${path}`, copies }
}

const NOW = schema()

describe('a database of an earlier version', { concurrency: 2 }, () => {
  it('is copied by serve, which says from which schema to which, and where the copy is', async () => {
    const { folder, path, database, copies } = earlier()
    const first = await startService({ operatorPort: 'none', database })
    await first.stop()
    const [copy] = copies()
    assert(copy !== undefined && copies().length === 1, copies().join())
    const told = linesOf<{ level: string; msg: string }>(first.output())
    const done = `${path} was upgraded from schema ${EARLIER_VERSION} to ${NOW}; ${folder}/${copy} is what it was, for going back with \`pets restore\``
    assert.deepEqual(
      told.slice(0, 2).map(({ level, msg }) => `${level}: ${msg}`),
      [
        `warn: ${path} is of schema ${EARLIER_VERSION} and this version needs ${NOW}: first it is copied, and the copy checked`,
        `warn: ${done}`,
      ],
    )
    assert.deepEqual([schemaOf(path), schemaOf(`${folder}/${copy}`)], [NOW, EARLIER_VERSION])
    const sound = await pets(['verify', '--database', `sqlite:${folder}/${copy}`])
    assert.match(sound.stdout, /^The database is sound: 5 animals,/, sound.stderr)

    const again = await startService({ operatorPort: 'none', database })
    await again.stop()
    assert.doesNotMatch(again.output(), /schema/)
    assert.deepEqual(copies(), [copy])
    const back = await pets(['restore', `${folder}/${copy}`, '--database', database])
    assert.deepEqual([back.code, schemaOf(path)], [0, EARLIER_VERSION], back.stderr)
  })

  it('is upgraded once, with one copy, by several commands at the same time', async () => {
    const { folder, path, database, copies } = earlier()
    const named = ['--database', database]
    const ended = await Promise.all([petsProcess(['keys', 'list', ...named]), petsProcess(['find', 'Lu', ...named])])
    for (const { code, stderr } of ended) assert.equal(code, 0, stderr)
    assert.match(ended[1].stdout, /Luna/)
    assert.equal(copies().length, 1)
    assert.equal(schemaOf(path), NOW)
    const told = ended.map(({ stderr }) => stderr).join('')
    assert.equal(told.match(/was upgraded from schema/g)?.length, 1, told)
    assert(told.includes(`${folder}/${copies()[0]}`))
  })

  it('is left unchanged if the service cannot start or make a copy', async () => {
    const { folder, path, database, copies } = earlier()
    const refused = async (args: string[], text: RegExp) => {
      assertRefused(await pets([...args, '--database', database]), text)
      assert.deepEqual([schemaOf(path), copies()], [EARLIER_VERSION, []])
    }
    for (const name of ['cert', 'key']) writeFileSync(`${folder}/${name}.pem`, 'no certificate')
    const tls = ['--tls-cert', `${folder}/cert.pem`, '--tls-key', `${folder}/key.pem`]
    await refused(['serve', '--create', '--port', '0', ...tls], /are not a PEM certificate and its private key/)

    const serving = lockExclusively(path, 'serving', 'taken')
    await refused(['keys', 'list'], /`pets serve` of an earlier version is running on .*; update the service first/)
    await refused(['serve', '--port', '0'], /Another `pets serve` is running/)
    serving.close()

    const importing = lockExclusively(path, 'importing', 'taken')
    await refused(['keys', 'list'], /an import into it is running; wait for its end/)
    importing.close()
  })
})

it('a damaged database of an earlier version is not upgraded, and the command says so in one sentence', async () => {
  const { path, database, copies } = earlier()
  alter(path, "UPDATE pet_counts SET n = 7 WHERE status = 'sold'")
  assertRefused(
    await pets(['keys', 'list', '--database', database]),
    /was not upgraded, because no copy of it could be made: .* is damaged: The count of animals .* is 7/,
  )
  assert.deepEqual([schemaOf(path), copies()], [EARLIER_VERSION, []])
})
