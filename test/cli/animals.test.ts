/** The commands with which an operator finds, corrects, removes and restores animals. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { before, it } from 'node:test'
import { commandsOn, pets } from '../support/commands/commands.ts'
import { call } from '../support/http.ts'
import { onSqlite } from '../support/on-each-engine.ts'
import { startService } from '../support/service.ts'

onSqlite(
  (name) => `animals of ${name} by the command line`,
  (engine) => {
    let database: string
    const { run, done, told, add } = commandsOn(() => database)
    before(async () => {
      database = await engine.createDatabase()
      await add('name,categoryId,status\nLuna,1,available\nSøren,2,\nBruno,2,pending\nLuna\u001b[2J,1,available\n')
    })

    it('find shows animals by a part of the name, newest first, without control characters', async () => {
      const found = await done('find', 'LUNA')
      assert.deepEqual(found.split('\n').slice(1, -1), [
        '4   available  1         Luna\\u{1b}[2J',
        '1   available  1         Luna',
      ])
      assert.match(await done('find', 'soren', '--status', 'none'), /Søren/)
      assert.equal(await done('find', 'bru', '--json'), '{"id":3,"name":"Bruno","categoryId":2,"status":"pending"}\n')
      assert.match((await run('find', 'nobody')).stderr, /^No animal was found\.$/m)
    })

    it('set-status changes all named animals or none, and also accepts the form ID STATUS', async () => {
      assert.equal(await done('set-status', 'sold', '1', '2'), '2 animals are sold; 2 of them changed.\n')
      assert.equal(await done('set-status', '3', 'sold'), 'Animal 3 is sold.\n')
      assert.equal(await done('set-status', 'none', '3'), 'Animal 3 is without a status.\n')
      const missing = await run('set-status', 'available', '1', '77')
      assert.deepEqual([missing.code, missing.stderr], [1, 'There is no animal 77; nothing was changed.\n'])
      assert.match(await done('show', '1'), /^status +sold$/m)
    })

    it('set-status - takes a thousand ids from standard input in one transaction', async () => {
      await add(`name,categoryId\n${'Many,3\n'.repeat(1_000)}`)
      const input = (await told('find', 'many', '--limit', '1000')).map(({ id }) => id).join('\n')
      const { code, stdout } = await pets(['set-status', 'sold', '-', '--database', database], { input })
      assert.deepEqual([code, stdout], [0, '1000 animals are sold; 1000 of them changed.\n'])
      const broken = await pets(['set-status', 'pending', '-', '--database', database], { input: '1\nMia\n' })
      assert.deepEqual(
        [broken.code, broken.stderr],
        [1, 'Line 2 of standard input is not the id of an animal; nothing was changed.\n'],
      )
    })

    it('edit corrects, show prints the history, and the running service answers with the new values at once', async () => {
      await using service = await startService({ operatorPort: 'none', database })
      const { key } = await service.issueKey()
      const port = service.port
      const get = (id: number) => call(port, { path: `/v1/pets/${id}`, key })
      assert.match((await get(1)).body, /"Luna"/)
      assert.equal(
        await done('edit', '1', '--name', 'Luna II', '--category', '9223372036854775807'),
        'Animal 1 is corrected.\n',
      )
      assert.equal((await get(1)).body, '{"id":1,"name":"Luna II","categoryId":9223372036854775807,"status":"sold"}')
      assert.match(await done('show', '1'), /cli \S+ +edit +\{"name":"Luna","categoryId":1\} -> \{"name":"Luna II"/)
      assert.match(await done('remove', '1'), /^1 animal removed/)
      assert.equal((await get(1)).status, 404)
      assert.match(await done('show', '1'), /^removed +\d{4}-/m)
      assert.equal(await done('restore-animal', '1'), '1 animal restored.\n')
      assert.equal((await get(1)).status, 200)
      const again = await run('restore-animal', '1')
      assert.deepEqual([again.code, again.stderr], [1, 'There is no removed animal 1; nothing was changed.\n'])
    })

    it('show and find say through which key an animal came, whose animals are taken back as one, and brought back', async () => {
      await using service = await startService({ operatorPort: 'none', database })
      const { key, id } = await service.issueKey()
      const port = service.port
      const headers = { 'content-type': 'application/json' }
      for (const name of ['Kim', 'Kai']) {
        const body = JSON.stringify({ name, categoryId: 1 })
        assert.equal((await call(port, { method: 'POST', path: '/v1/pets', key, headers, body })).status, 201)
      }
      const found = await told('find', '--by', id, '--since', '2026-01-01')
      const [kai, kim] = found
      assert.deepEqual([kai?.name, kim?.name, found.length], ['Kai', 'Kim', 2])
      assert.match(await done('show', `${kai?.id}`), new RegExp(`^came +\\d{4}-.* by key ${id}$`, 'm'))
      assert.match(await done('show', '3'), /^came +\d{4}-.* by import 1 \(cli /m)
      await done('set-status', 'sold', `${kim?.id}`)
      const undo = ['imports', 'undo', '--by', id, '--since', '2026-01-01']
      assert.match(await done(...undo, '--dry-run'), /^2 animals would be removed/)
      const undone = await done(...undo)
      assert.match(undone, /1 animal removed; 1 changed since stays as it is/)
      const [, n = ''] = /^Import (\d+) is undone/.exec(undone) ?? []
      assert.equal(await done('imports', 'restore', n), '1 animal restored.\n')
      assert.equal((await run('imports', 'restore', n)).code, 1)
      assert.match(await done('show', `${kai?.id}`), new RegExp(`by key ${id}$`, 'm'))
      const unknown = await run('find', '--by', 'nosuch')
      assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
      assert.match(unknown.stderr, /^There is no key, person or import nosuch; /)
      assert.equal((await run('find', '--by', id, '--since', '2999-01-01')).code, 0)
      assert.match((await run('imports', 'undo', '--by', 'nobody', '--since', '2026-01-01')).stderr, /no key nobody/)
    })

    it('the journal is printed newest first, for one animal, since a time, as a table or as JSON', async () => {
      const acts = (await told('journal', '--animal', '1')).map(({ act }) => act)
      assert.deepEqual(acts.slice(0, 3), ['restore', 'remove', 'edit'])
      assert.match(await done('journal', '--limit', '1'), /^WHEN +WHO +ACT +WHAT/)
      assert.match((await run('journal', '--since', '2999-01-01')).stderr, /no such entries/)
    })

    it('the journal says who took all animals out, and in which format', async () => {
      await done('export', '--format', 'csv')
      await done('export')
      const entries = await told('journal', '--limit', '2')
      for (const [index, format] of ['ndjson', 'csv'].entries()) {
        const { who, act, to } = entries[index] ?? {}
        assert.match(who ?? '', /^cli \S/)
        assert.deepEqual([act, to], ['export', JSON.stringify({ format })])
      }
    })

    it('a removal is done and told as done, whatever becomes of the purge of those removed long ago', async () => {
      const other = await engine.createDatabase()
      const there = commandsOn(other)
      await there.add('name,categoryId\nLuna,1\n')
      refusePurges(other)
      const { code, stdout, stderr } = await there.run('remove', '1')
      assert.equal(code, 0, stderr)
      assert.match(stdout, /^1 animal removed; /)
      assert.match(
        stderr,
        /^Warning: animals removed long ago could not be purged; the next removal tries again\. .*no purge today.*\n$/,
      )
      assert.match(await there.done('show', '1'), /^removed +\d{4}-/m)
    })

    it('names of categories are shown to people beside the numbers', async () => {
      assert.equal(await done('categories', 'set', '2', 'Dogs'), 'Category 2 is Dogs.\n')
      assert.match(await done('categories'), /^2 +Dogs$/m)
      const { code, stderr } = await run('categories', 'set', '3', 'DOGS')
      const told = 'Category 3 cannot have this name, because category 2 is Dogs; choose another name.\n'
      assert.deepEqual([code, stderr], [1, told])
      assert.match(await done('find', 'bruno'), /2 Dogs +Bruno/)
      assert.equal(await done('categories', 'set', '2', ''), 'Category 2 has no name.\n')
    })
  },
)

/** From now on the database refuses to purge the animal that is due. */
function refusePurges(database: string): void {
  using file = new DatabaseSync(database.slice('sqlite:'.length), { timeout: 5_000 })
  file.exec("INSERT INTO removed_pets (id, name, category_id, removed_at_ms) VALUES (77, 'Rex', 1, 1)")
  file.exec("CREATE TRIGGER refusal BEFORE DELETE ON removed_pets BEGIN SELECT raise(ABORT, 'no purge today'); END")
}
