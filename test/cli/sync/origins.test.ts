/** Where an animal came from: `pets show`, and the export that says it of all. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { openStore } from '../../../src/store/open.ts'
import { pets } from '../../support/commands/commands.ts'
import { onSqlite } from '../../support/on-each-engine.ts'

const AT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

onSqlite(
  (name) => `export --with-origin, on ${name}`,
  (engine) => {
    it('says the reference, the time, the author and the import of each, exactly, and its file comes in again', async () => {
      const [database, other, exact] = await Promise.all([1, 2, 3].map(() => engine.createDatabase()))
      assert(database !== undefined && other !== undefined && exact !== undefined)
      const store = await openStore(database, { serving: true, clock: systemClock })
      await store.pets.create({ name: 'By key', categoryId: 9223372036854775807n }, 'key_a')
      await store.pets.create({ name: 'Nobody knows', categoryId: 1n })
      await store.close()
      const on = ['--database', database]
      await pets(['import', '--create', '-', ...on], {
        input: 'name,categoryId,status\nImported,-9223372036854775808,sold\n',
      })
      const list = 'ref,name,categoryId,Intake Date\n=A-1,Listed,3,2026-03-01\n'
      const synced = await pets(['sync', '--create', '-', '--ref', 'ref', ...on], { input: list })
      assert.equal(synced.stdout, '1 row: 1 added.\n', synced.stderr)
      const show = await pets(['show', '4', '--json', ...on])
      const { reference, origin } = JSON.parse(show.stdout) as { reference: string; origin: object }
      const { who, import: n } = { who: '', import: '', ...origin }
      assert.deepEqual([reference, n, who.startsWith('cli ')], ['=A-1', '2', true])
      assert.match(
        (await pets(['show', '4', ...on])).stdout,
        /^came {7}.+ by import 2 \(cli .+\)\narrived {4}2026-03-01\nreference {2}=A-1$/m,
      )
      assert.match((await pets(['show', '3', '--json', ...on])).stdout, /"reference":null/)

      const csv = (await pets(['export', '--format', 'csv', '--with-origin', ...on])).stdout
      assert.equal(
        csv.replace(AT, 'TIME'),
        'id,name,categoryId,status,reference,cameAt,cameBy,import,cameOn\n' +
          '1,By key,9223372036854775807,,,TIME,key_a,,\n2,Nobody knows,1,,,,,,\n' +
          `3,Imported,-9223372036854775808,sold,,TIME,${who},1,\n4,Listed,3,,=A-1,TIME,${who},2,2026-03-01\n`,
      )
      assert.equal(csv.match(AT)?.length, 3)
      const sheet = await pets(['export', '--format', 'csv', '--with-origin', '--for-spreadsheet', ...on])
      assert.match(sheet.stdout, /^4,Listed,3,,'=A-1,/m)
      const ndjson = (await pets(['export', '--with-origin', ...on])).stdout
      assert.equal(
        ndjson.replace(AT, 'TIME'),
        '{"id":1,"name":"By key","categoryId":9223372036854775807,"cameAt":"TIME","cameBy":"key_a"}\n' +
          '{"id":2,"name":"Nobody knows","categoryId":1}\n' +
          `{"id":3,"name":"Imported","categoryId":-9223372036854775808,"status":"sold","cameAt":"TIME","cameBy":"${who}","import":"1"}\n` +
          `{"id":4,"name":"Listed","categoryId":3,"reference":"=A-1","cameAt":"TIME","cameBy":"${who}","import":"2","cameOn":"2026-03-01"}\n`,
      )

      const again = await pets(['import', '--create', '-', '--database', other], { input: csv })
      assert.equal(again.stdout, '4 animals imported.\n', again.stderr)
      assert.match(again.stderr, /^Columns left out: id, reference, cameAt, cameBy, import\.$/m)
      assert.match((await pets(['show', '4', '--database', other])).stdout, /^arrived {4}2026-03-01$/m)
      const more = await pets(['import', '--create', '-', '--with-ids', '--database', exact], { input: ndjson })
      assert.equal(more.stdout, '4 animals imported.\n', more.stderr)
      assert.equal((await pets(['export', '--database', exact])).stdout, (await pets(['export', ...on])).stdout)
    })
  },
)
