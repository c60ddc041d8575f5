/** Choosing what the columns and words of an uploaded file mean, in the office, on every engine. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AnimalPage, OfficeError, Upload } from '../../src/office/office-data.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { onSqlite } from '../support/on-each-engine.ts'

onSqlite(
  (name) => `columns and words of an upload, on ${name}`,
  (engine) => {
    async function begin() {
      const office = await startOfficeApp(await engine.createDatabase())
      const ada = await office.enter('Ada')
      await office.store.categories.name(new Map([[7n, 'Cats']]), { who: 'test', atMs: 0 })
      const again = <T = Upload>(id: string, rules: readonly string[]) =>
        ada.ask<T>('POST', `/api/uploads/${id}`, { rules })
      return { ada, again, [Symbol.asyncDispose]: () => office[Symbol.asyncDispose]() }
    }

    it('each is told with what it is understood as, also of a file that cannot be read yet', async () => {
      await using office = await begin()
      const text =
        'Call;Species;Outcome;Status Line;Outcome \nMia;cat;Adopted;x;\nTom;CAT;napping;x;\nRex;dog;"a=b";x;\n'
      const { json: first } = await office.ada.upload<Upload>(text)
      assert.match(first.unreadable ?? '', /^Line 1: .* could each be the status\.$/)
      const headings = ['Call', 'Species', 'Outcome', 'Status Line', 'Outcome (2)']
      const columns = { name: null, categoryId: 'Species', status: null }
      assert.deepEqual(first.found, { headings, columns, reference: null, words: [], moreWords: 0 })
      const { json: look } = await office.again(first.id, ['name=Call', 'status=Outcome'])
      assert.deepEqual(look.found?.columns, { name: 'Call', categoryId: 'Species', status: 'Outcome' })
      assert.deepEqual(look.found?.words, [
        { field: 'categoryId', word: 'cat', rows: 2, meaning: '7' },
        { field: 'categoryId', word: 'dog', rows: 1, meaning: null },
        { field: 'status', word: 'Adopted', rows: 1, meaning: 'sold' },
        { field: 'status', word: 'napping', rows: 1, meaning: null },
      ])
      assert.deepEqual([look.animals, look.badRows], [1, 2])
      const rules = ['name=Call', 'status=Outcome', 'categoryId:dog=7', 'status:napping=', 'status:Adopted=pending']
      const { json: chosen } = await office.again(first.id, rules)
      assert.deepEqual([chosen.animals, chosen.badRows, chosen.unreadable], [2, 1, null])
      await office.ada.ask('POST', '/api/imports', { upload: first.id, skipInvalid: true, duplicates: 'refuse' })
      const { animals } = (await office.ada.ask<AnimalPage>('GET', '/api/animals')).json
      assert.deepEqual(animals.map(({ name, status }) => [name, status]).sort(), [
        ['Mia', 'pending'],
        ['Tom', null],
      ])
    })

    it('of many columns and words some are offered and the others counted; too many choices are refused', async () => {
      await using office = await begin()
      const header = `name,categoryId,status,${Array.from({ length: 300 }, (_, n) => `c${n}`).join()}`
      const rows = Array.from({ length: 1_200 }, (_, n) => `Rex,7,word ${n}${','.repeat(300)}\n`).join('')
      const long = `Rex,7,${'x'.repeat(50_000)}${','.repeat(300)}\n`
      const { json } = await office.ada.upload<Upload>(`${header}\n${long}${rows}`)
      const { headings = [], words = [], moreWords } = json.found ?? {}
      assert.deepEqual([headings.length, words.length, moreWords, json.badRows], [200, 50, 949, 1_201])
      const many = Array.from({ length: 251 }, (_, n) => `status:word ${n}=sold`)
      const refused = await office.again<OfficeError>(json.id, many)
      assert.deepEqual([refused.status, refused.json.message], [400, 'There are 251 choices, and 250 are allowed.'])
      assert.equal((await office.again<OfficeError>(json.id, ['x'.repeat(300_000)])).status, 413)
      for (const rules of [['colour=Fur'], ['name='], ['status:a'], [7], 'name=x', null]) {
        const { status, json: told } = await office.ada.ask<OfficeError>('POST', `/api/uploads/${json.id}`, { rules })
        assert.deepEqual([status, told.code], [400, 'invalid'], JSON.stringify(rules))
      }
      assert.equal((await office.again(json.id, many.slice(1))).json.badRows, 951)
    })
  },
)
