/**
 * Updates of the running service with the script of deploy/, under load, and what becomes of one whose new version does
 * not become ready. Real processes; systemd is played (test/support/systemctl.ts).
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { schema } from '../../src/store/sqlite/file/migrations.ts'
import { commandsOn, LARGE } from '../support/commands/commands.ts'
import { COMMIT_OF_1_1_0, historyNeeded, schemaOf, treeOf } from '../support/earlier.ts'
import { namesIn } from '../support/folder.ts'
import { assertWhole, BODY, call } from '../support/http.ts'
import { pets } from '../support/service.ts'
import { NEVER_READY } from '../support/systemctl.ts'
import { until } from '../support/until.ts'
import { assertStored } from './creates.ts'
import { SteadyLoad } from './updates/steady-load.ts'
import { playSystemd, programOf, UNIT } from './updates/systemd.ts'

const UPDATES = 20
const MIGRATIONS_FILE = import.meta.resolve('../../src/store/sqlite/file/migrations.ts')

/** A later version, with one more migration; it hangs, or ends, where it would begin to listen. */
function laterVersion(end: 'hangs' | 'fails'): string {
  const listen = end === 'hangs' ? `console.log('${NEVER_READY}')` : 'process.exit(1)'
  return programOf(
    undefined,
    `const { MIGRATIONS } = await import('${MIGRATIONS_FILE}')
    MIGRATIONS.push({ to: ${schema() + 1}, sql: 'CREATE TABLE of_later (n INTEGER) STRICT' })
    const { Server } = await import('node:http')
    if (process.argv[2] === 'serve') Server.prototype.listen = () => { ${listen} }`,
  )
}

describe('an update by deploy/update, with pets.socket', () => {
  it(`under 500 creates/s on fresh connections and 64 kept ones, ${UPDATES} times: 0 refused, 0 unanswered, 0 acknowledged lost, and no probe failed (R4, R9)`, async () => {
    await using systemd = await playSystemd(programOf(), { holdsSockets: true })
    const { database } = systemd
    const { key } = await commandsOn(database).key(...LARGE)
    const load = new SteadyLoad({ port: systemd.port, key, fresh: 500, kept: 64 })
    const more = async () => {
      const before = load.acknowledged.size
      await until('creates', () => load.acknowledged.size > before + 300)
    }
    await more()
    const probes = new Set<number>()
    for (let n = 0; n < UPDATES; n += 1) {
      const updated = systemd.update(programOf())
      let isOver = false
      void updated.then(() => {
        isOver = true
      })
      while (!isOver) probes.add((await call(systemd.operatorPort, { path: '/readyz' })).status)
      const { code, output } = await updated
      assert.equal(code, 0, output)
      await more()
    }
    await load.end()
    assert.deepEqual([load.wrong, [...probes]], [[], [200]])
    await assertStored(database, load.acknowledged)
  })

  for (const end of ['hangs', 'fails'] as const) {
    it(`to a version that ${end}: the one before goes on under load, with its unit and the database as it was (R9)`, async () => {
      await using systemd = await playSystemd(programOf(), { holdsSockets: true })
      const { database, folder } = systemd
      const { key } = await commandsOn(database).key(...LARGE)
      const program = readFileSync(`${folder}/pets`, 'utf8')
      const load = new SteadyLoad({ port: systemd.port, key, fresh: 100, kept: 16 })
      await until('creates', () => load.acknowledged.size > 200)
      const { code, output } = await systemd.update(laterVersion(end))
      assert.equal(code, 1, output)
      assert.match(output, /The version before goes on/)
      assert.equal(namesIn(folder, /\.before-upgrade-/).length, 1, 'the new version has begun its work')
      const before = load.acknowledged.size
      await until('creates', () => load.acknowledged.size > before + 200)
      await load.end()
      assert.deepEqual(load.wrong, [])
      assert.equal(readFileSync(`${folder}/pets`, 'utf8'), program)
      assert.equal(readFileSync(`${folder}/pets.service`, 'utf8'), UNIT)
      assert.equal(schemaOf(`${folder}/pets.db`), schema())
      await assertStored(database, load.acknowledged)
    })
  }
})

describe('an update of 1.1.0 by deploy/update', historyNeeded, () => {
  it('to a version that does not become ready leaves 1.1.0, its unit and its database; then to this one (R9)', async () => {
    const root = await treeOf(COMMIT_OF_1_1_0, '1.1.0')
    await using systemd = await playSystemd(programOf(root), { holdsSockets: false })
    // By its own command: this version's would have it updated first.
    const args = ['keys', 'create', '--create', '--json', '--database', systemd.database, '--plan', ...LARGE]
    const made = await pets(args, { root })
    assert.equal(made.code, 0, made.stderr)
    const { key } = JSON.parse(made.stdout) as { readonly key: string }
    const create = () => call(systemd.port, { method: 'POST', key, body: BODY })
    assertWhole(await create(), 201)
    const failed = await systemd.update(laterVersion('hangs'))
    assert.equal(failed.code, 1, failed.output)
    assert.equal(namesIn(systemd.folder, /\.before-upgrade-/).length, 1, 'the new version has begun its work')
    assert.equal(readFileSync(`${systemd.folder}/pets.service`, 'utf8'), UNIT)
    assertWhole(await create(), 201)
    assert.doesNotMatch(systemd.log(), /schema/)
    const { code, output } = await systemd.update(programOf())
    assert.equal(code, 0, output)
    assert.notEqual(readFileSync(`${systemd.folder}/pets.service`, 'utf8'), UNIT)
    assertWhole(await create(), 201)
    assert.equal((await commandsOn(systemd.database).names()).size, 3)
  })
})
