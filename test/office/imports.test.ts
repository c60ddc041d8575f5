/**
 * Importing and exporting in the office, on every engine: what is understood, what is kept of a file, and what is not.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { afterEach, beforeEach, it } from 'node:test'
import { INT64_MAX } from '../../src/contract/int64.ts'
import { hashToken } from '../../src/domain/people.ts'
import type { AnimalPage, ImportResult, ImportSummary, OfficeError, Upload } from '../../src/office/office-data.ts'
import { lockExclusively } from '../../src/store/sqlite/file/file-lock.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { keptUploads, type OfficeApp, startOfficeApp } from '../support/office-app.ts'
import type { SignedInClient } from '../support/office-client.ts'
import { onSqlite } from '../support/on-each-engine.ts'
import { openInSpreadsheet } from '../support/spreadsheet.ts'
import { PLAIN_IMPORT, WHOLE_JOURNAL } from '../support/store.ts'
import { until } from '../support/until.ts'

const HEADER = 'name,categoryId,status\n'
const ALL = { skipInvalid: false, duplicates: 'refuse' }
const HOUR_MS = 3_600_000

onSqlite(
  (name) => `imports in the office, on ${name}`,
  (engine) => {
    const usual = process.env.TMPDIR
    const folder = temporaryFolder()
    let store: Store
    let office: OfficeApp
    let ada: SignedInClient

    beforeEach(async () => {
      process.env.TMPDIR = folder
      office = await startOfficeApp(await engine.createDatabase())
      ;({ store } = office)
      ada = await office.enter('Ada')
    })
    afterEach(async () => {
      await office[Symbol.asyncDispose]()
      if (usual === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = usual
      await until('nothing is left behind', () => readdirSync(folder).length + keptUploads().length === 0)
    })

    const animals = async () => (await ada.ask<AnimalPage>('GET', '/api/animals')).json.animals
    const run = <T = ImportResult>(upload: string, more = {}) =>
      ada.ask<T>('POST', '/api/imports', { ...ALL, ...more, upload })
    const add = async (text: string, more = {}) => {
      const { json } = await ada.upload<Upload>(text)
      return run(json.id, more)
    }

    it('a file is looked at, imported, listed and undone', async () => {
      const name = '<b>Łódź</b>'
      const text = `${HEADER}"${name}",${INT64_MAX},sold\nMia,7,\n`
      const { status, json: look } = await ada.upload<Upload>(text, 'C:\\fakepath\\an <i>mals.csv')
      assert.equal(status, 200)
      const groups = [...look.groups].sort((a, b) => a.categoryId.length - b.categoryId.length)
      assert.deepEqual(
        { ...look, groups },
        {
          id: look.id,
          file: 'an <i>mals.csv',
          animals: 2,
          problems: [],
          badRows: 0,
          groups: [
            { kind: 'added', categoryId: '7', status: null, animals: 1 },
            { kind: 'added', categoryId: String(INT64_MAX), status: 'sold', animals: 1 },
          ],
          gone: { rows: 0, words: [] },
          newCategories: [],
          duplicates: 0,
          update: null,
          unreadable: null,
          notes: [],
          found: {
            headings: ['name', 'categoryId', 'status'],
            columns: { name: 'name', categoryId: 'categoryId', status: 'status' },
            reference: null,
            words: [
              { field: 'status', word: 'sold', rows: 1, meaning: 'sold' },
              { field: 'status', word: '', rows: 1, meaning: '' },
            ],
            moreWords: 0,
          },
          understood: 'Read as UTF-8, CSV with commas: name, categoryId, status.',
          preview: [
            { name, categoryId: String(INT64_MAX), status: 'sold' },
            { name: 'Mia', categoryId: '7', status: null },
          ],
        },
      )
      assert.deepEqual(await animals(), [], 'nothing was imported yet')
      const { json: done } = await run(look.id)
      assert.deepEqual([done.animals, done.badRows], [2, 0])
      assert.deepEqual(
        (await animals()).map((pet) => [pet.name, pet.categoryId, pet.status]),
        [
          ['Mia', '7', null],
          [name, String(INT64_MAX), 'sold'],
        ],
      )
      const [line] = (await ada.ask<ImportSummary[]>('GET', '/api/imports')).json
      const facts = { n: done.n, atMs: office.clock.nowMs, who: 'Ada', source: 'an <i>mals.csv', animals: 2 }
      assert.deepEqual(line, { ...facts, undoneAtMs: null })
      const undo = () => ada.ask('POST', `/api/imports/${done.n}/undo`, {})
      const both = await Promise.all([undo(), undo()])
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404])
      assert.deepEqual(both.find(({ status }) => status === 200)?.json, { removed: 2, kept: 0 })
      assert.deepEqual(await animals(), [])
      assert.equal((await ada.ask('POST', '/api/imports/x/undo', {})).status, 404)
    })

    it('a file that is sent to be imported twice is imported once', async () => {
      const { json } = await ada.upload<Upload>(`${HEADER}Mia,7,\n`)
      const both = await Promise.all([run(json.id), run(json.id)])
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404])
      assert.equal((await animals()).length, 1)
    })

    it('bad rows are named by line and stop the import, or are left out', async () => {
      const rows = Array.from({ length: 25 }, (_, n) => `Rex ${n},,\n`).join('')
      const { json } = await ada.upload<Upload>(`${HEADER}Mia,7,\n${rows}Tom,8,zzz\n`)
      assert.deepEqual([json.animals, json.badRows, json.problems.length], [1, 26, 20])
      assert.deepEqual([json.problems[0]?.line, json.problems[0]?.text], [3, 'category: is empty'])
      const refused = await run<OfficeError>(json.id)
      assert.deepEqual([refused.status, refused.json.code], [400, 'invalid'])
      assert.match(refused.json.message, /^Nothing was imported: the file has 26 bad rows\./)
      assert.deepEqual(await animals(), [])
      const { json: done } = await run(json.id, { skipInvalid: true })
      assert.deepEqual([done.animals, done.badRows], [1, 26])
    })

    it('duplicates are counted before the import and stop it, or are allowed', async () => {
      const text = `${HEADER}Mia,7,\nMia,7,\nMia,8,\n`
      await add(text)
      await store.pets.create({ name: 'Tom', categoryId: 1n })
      const { json } = await ada.upload<Upload>(`${text}Tom,1,\nNew,1,\n`)
      assert.equal(json.duplicates, 4)
      const refused = await run<OfficeError>(json.id)
      assert.match(refused.json.message, /^4 of 5 look like animals that are already here; nothing was imported\./)
      assert.equal((await run(json.id, { duplicates: 'add' })).json.animals, 5)
      assert.equal((await animals()).length, 9)
    })

    it('those that are there already are left out, as the look has told, and the import undoes the others', async () => {
      await store.pets.create({ name: 'Tom', categoryId: 1n })
      const { json } = await ada.upload<Upload>(`${HEADER}Tom,1,sold\nMia,7,sold\nbad\nTom,2,\n`)
      assert.deepEqual([json.animals, json.duplicates, json.badRows], [3, 1, 1])
      const { json: done } = await run(json.id, { duplicates: 'leave out', skipInvalid: true })
      assert.deepEqual([done.animals, done.known, done.badRows], [2, 1, 1])
      const now = (await animals()).map(({ name, categoryId, status }) => `${name} ${categoryId} ${status}`)
      assert.deepEqual(now, ['Tom 2 null', 'Mia 7 sold', 'Tom 1 null'])
      const again = await ada.upload<Upload>(`${HEADER}Tom,1,sold\nMia,7,sold\n`)
      const refused = await run<OfficeError>(again.json.id, { duplicates: 'leave out' })
      assert.deepEqual(
        [refused.status, refused.json.message],
        [400, 'All animals of the file are here already; nothing was imported.'],
      )
      assert.deepEqual((await ada.ask('POST', `/api/imports/${done.n}/undo`, {})).json, { removed: 2, kept: 0 })
      assert.deepEqual((await animals()).length, 1)
    })

    it('a mapping of columns and values is used for the look and the import', async () => {
      const { json: first } = await ada.upload<Upload>('Call;Sort;State\nMia;7;adopted\n')
      assert.match(
        first.unreadable ?? '',
        /^Line 1: no column is understood as the name, nor as the category; the headings are: Call, Sort/,
      )
      assert.doesNotMatch(first.unreadable ?? '', /--map/)
      const map = (...rules: string[]) => ada.ask<Upload>('POST', `/api/uploads/${first.id}`, { rules })
      const wrong = await map('colour=Fur')
      assert.deepEqual([wrong.status, (wrong.json as unknown as OfficeError).code], [400, 'invalid'])
      const { json: look } = await map('name=Call', 'categoryId=Sort', 'status=State', 'status:adopted=sold')
      assert.deepEqual([look.id, look.unreadable], [first.id, null])
      assert.deepEqual(look.preview, [{ name: 'Mia', categoryId: '7', status: 'sold' }])
      await run(first.id)
      assert.equal((await animals())[0]?.status, 'sold')
    })

    it('categories are understood by name, and what was guessed and left out is told', async () => {
      await store.categories.name(new Map([[7n, 'Cats']]), { who: 'test', atMs: 0 })
      const { json } = await ada.upload<Upload>('Animal Name,Species,Outcome,Age\nMia,cat,Adopted,3\n')
      assert.deepEqual(json.preview, [{ name: 'Mia', categoryId: '7', status: 'sold' }])
      assert.deepEqual(json.notes, ['Columns left out: Age.'])
      await run(json.id)
      assert.deepEqual([(await animals())[0]?.categoryId, (await animals())[0]?.status], ['7', 'sold'])
    })

    it('in an empty office a report is imported as it is; later, new categories where that is chosen', async () => {
      const header = 'Animal Inventory,,,\nAnimal ID,Animal Name,Species,Stage\n'
      const { json } = await ada.upload<Upload>(
        `${header}A1,Rex,Dog,Available\nA2,,Cat,Transfer Out\nA3,,Cat,Hold\nTotal,3,,\n`,
      )
      assert.deepEqual([json.animals, json.badRows, json.found?.reference], [2, 0, 'Animal ID'])
      assert.deepEqual(json.gone, { rows: 1, words: [{ word: 'Transfer Out', rows: 1 }] })
      assert.deepEqual(json.newCategories, [
        { id: '1', name: 'Dog' },
        { id: '2', name: 'Cat' },
      ])
      assert.deepEqual(
        json.found?.words.filter(({ field }) => field === 'status').map(({ word, meaning }) => [word, meaning]),
        [
          ['Available', 'available'],
          ['Transfer Out', 'gone'],
          ['Hold', 'pending'],
        ],
      )
      await run(json.id)
      assert.deepEqual(
        [...(await store.categories.names())],
        [
          [1n, 'Dog'],
          [2n, 'Cat'],
        ],
      )
      assert.deepEqual(
        (await animals()).map(({ name, status }) => [name, status]),
        [
          ['A3', 'pending'],
          ['Rex', 'available'],
        ],
      )
      const next = await ada.upload<Upload>(`${header}A4,Hop,Rabbit,Hold\nA4,Hops,Rabbit,Available\n`)
      assert.deepEqual([next.json.badRows, next.json.newCategories], [2, []])
      const update = { reference: 'Animal ID', missing: 'keep' }
      const again = { rules: [], newCategories: true, update }
      const chosen = await ada.ask<Upload>('POST', `/api/uploads/${next.json.id}`, again)
      assert.deepEqual([chosen.json.badRows, chosen.json.newCategories], [0, [{ id: '3', name: 'Rabbit' }]])
      const older = 'Several rows are about one animal: the newest counts, and older ones are left out on line 3.'
      assert(chosen.json.notes.includes(older), chosen.json.notes.join('\n'))
      await run(next.json.id)
      assert.equal((await store.categories.names()).get(3n), 'Rabbit')
    })

    it('a file that cannot be read says so, and is not imported', async () => {
      for (const [bytes, message] of [
        ['', /^The file is empty/],
        ['PK\x03\x04xxxxx', /^The workbook or ZIP file is damaged/],
        [`${HEADER}"Mia,7,\n`, /^Line 2: the quotes of this row are broken/],
        [`${HEADER}${'x'.repeat(70_000)},7,\n`, /longer than 65536 bytes; is a quote not closed\?$/],
      ] as const) {
        const { status, json } = await ada.upload<Upload>(bytes)
        assert.equal(status, 200)
        assert.match(json.unreadable ?? '', message)
        assert.equal((await run(json.id)).status, 400)
      }
      assert.deepEqual(await animals(), [])
    })

    it('an upload belongs to the person who made it, for an hour, until that person signs out', async () => {
      const ben = await office.enter('Ben')
      const upload = async () => (await ada.upload<Upload>(`${HEADER}Mia,7,\n`)).json.id
      const first = await upload()
      assert.equal((await ben.ask('POST', '/api/imports', { ...ALL, upload: first })).status, 404)
      assert.equal((await ben.ask('POST', `/api/uploads/${first}`, { rules: [] })).status, 404)
      await ben.ask('DELETE', '/api/session')
      assert.equal((await ada.ask('POST', `/api/uploads/${first}`, { rules: [] })).status, 200)
      await ada.ask('DELETE', '/api/session')
      await until('the upload is gone', () => keptUploads().length === 0)
      ada = await office.enter('Eve')
      const second = await upload()
      office.clock.nowMs += 1_700_000 // a session ends after half an hour without use
      await animals()
      const secret = ada.headers.cookie?.replace(/^.*=/, '') ?? ''
      const seenAtMs = async () => (await store.people.session(hashToken(secret)))?.seenAtMs
      // A use that comes while the one before is still being noted is not noted itself.
      const isStored = async () => (await animals()) && (await seenAtMs()) === office.clock.nowMs
      await until('the use of the session is stored', isStored)
      office.clock.nowMs += 1_700_000
      assert.equal((await ada.ask('POST', `/api/uploads/${second}`, { rules: [] })).status, 200)
      await until('and this one', isStored)
      office.clock.nowMs += HOUR_MS - 3_400_000
      assert.equal((await run(second)).status, 404)
      assert.deepEqual(await animals(), [])
    })

    it('the number of files that are kept has a bound', async () => {
      const ids: string[] = []
      for (let n = 0; n < 6; n += 1) ids.push((await ada.upload<Upload>(`${HEADER}Mia ${n},7,\n`)).json.id)
      assert.ok(keptUploads().length <= 4)
      assert.equal((await run(ids[0] ?? '')).status, 404)
      assert.equal((await run(ids[5] ?? '')).status, 200)
    })

    it('of many uploads at once each is answered, and the office goes on', async () => {
      const both = [ada, await office.enter('Ben')]
      const one = (n: number) => both[n % 2]?.upload<Upload>(`${HEADER}Mia ${n},7,\n`)
      const statuses = (await Promise.all(Array.from({ length: 40 }, (_, n) => one(n)))).map((answer) => answer?.status)
      assert.deepEqual(
        statuses.filter((status) => status !== 200 && status !== 404 && status !== 503),
        [],
      )
      assert.equal((await add(`${HEADER}Tom,7,\n`)).status, 200)
      assert.doesNotMatch(office.log(), /"level":50/)
    })

    it('what is no single file of a bounded size is refused, and the office goes on', async () => {
      const send = async (body: FormData | string, headers = {}) =>
        (
          await fetch(`${office.operatorUrl}/api/uploads`, {
            method: 'POST',
            headers: { ...ada.headers, ...headers },
            body,
          })
        ).status
      const form = (parts: readonly (readonly [string, Blob | string])[]) => {
        const data = new FormData()
        for (const [name, part] of parts) data.append(name, part)
        return data
      }
      const file = new Blob([`${HEADER}Mia,7,\n`])
      assert.equal(await send(form([['text', 'Mia']])), 400)
      assert.equal(await send('{}', { 'content-type': 'application/json' }), 403)
      assert.equal(await send('nothing', { 'content-type': 'multipart/form-data; boundary=x' }), 400)
      assert.equal(
        await send(
          form([
            ['text', 'x'],
            ['file', file],
          ]),
        ),
        200,
      )
      assert.equal((await ada.upload(new Uint8Array((64 << 20) + 1))).status, 413)
      assert.equal((await add(`${HEADER}Mia,7,\n`)).status, 200)
      assert.doesNotMatch(office.log(), /"level":50/)
    })

    it('of an upload that breaks off in the middle nothing is left', async () => {
      const port = Number(new URL(office.operatorUrl).port)
      for (const end of ['end', 'destroy', 'resetAndDestroy'] as const) {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        const headers = Object.entries({ ...ada.headers, host: `127.0.0.1:${port}` })
        socket.write(
          `POST /api/uploads HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}` +
            'content-type: multipart/form-data; boundary=x\r\ncontent-length: 1000000\r\n\r\n' +
            '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,categoryId\n',
        )
        if (existsSync('/proc/self/fd')) await until('the upload has begun', () => keptUploads().length === 1)
        socket[end]()
        await until('nothing is left', () => keptUploads().length === 0 && readdirSync(folder).length === 0)
        socket.destroy()
      }
      assert.equal((await add(`${HEADER}Mia,7,\n`)).status, 200)
    })

    it('where no file can be kept the office says so, and goes on', async () => {
      process.env.TMPDIR = `${folder}/gone`
      const { status, json } = await ada.upload<OfficeError>(`${HEADER}Mia,7,\n`)
      assert.deepEqual([status, json.code], [503, 'unavailable'])
      assert.match(json.message, /cannot keep the file \(ENOENT\)/)
      process.env.TMPDIR = folder
      assert.equal((await add(`${HEADER}Mia,7,\n`)).status, 200)
    })

    it('an export is every animal, as a file with the day in its name', async () => {
      await add(`${HEADER}"Łódź, ""x""",${INT64_MAX},sold\n=1+1,7,\n`)
      const csv = await ada.get('/api/export?format=csv')
      assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="animals-2026-11-21.csv"')
      assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
      const [first, second] = (await animals()).map(({ id }) => id).toReversed()
      const lines = `id,name,categoryId,status\n${first},"Łódź, ""x""",${INT64_MAX},sold\n`
      assert.equal(await csv.text(), `${lines}${second},=1+1,7,\n`)
      const sheet = await ada.get('/api/export?format=csv&for=spreadsheet')
      const bytes = Buffer.from(await sheet.arrayBuffer())
      assert.equal(bytes.toString(), `\ufeff${lines}${second},'=1+1,7,\n`)
      assert.equal(openInSpreadsheet(bytes)[1]?.[1], 'Łódź, "x"')
      const ndjson = await ada.get('/api/export?format=ndjson')
      assert.match(await ndjson.text(), new RegExp(`^{"id":${first},"name":"Łódź.*\n{"id":${second},.*}\n$`))
      assert.equal((await ada.get('/api/export?format=xml')).status, 400)
      assert.equal((await ada.get('/api/export?format=ndjson&for=spreadsheet')).status, 400)
      const ben = await office.enter('Ben', 'staff')
      assert.equal((await ben.get('/api/export')).status, 403)
    })

    it('an export of a search has what is found by the number of the other system', async () => {
      const { json } = await ada.upload<Upload>(
        'Animal ID,Name,Species,Status\nQX-4711,Rex,Dog,Hold\nQX-4712,Bo,Dog,Hold\n',
      )
      const update = { reference: 'Animal ID', missing: 'keep' }
      await ada.ask('POST', `/api/uploads/${json.id}`, { rules: [], newCategories: true, update })
      await run(json.id)
      const text = await (await ada.get('/api/export?format=ndjson&text=qx-4711')).text()
      assert.deepEqual(
        [...text.matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name),
        ['Rex'],
      )
    })

    it('an export of a search is what the list finds, whole, and the journal says which', async () => {
      await add(
        `${HEADER}Ólafur the Great,7,sold\nThe great Olafur,${INT64_MAX},\nOlaf,7,sold\nGreat Olafur,7,available\n`,
      )
      const [great, , , last] = (await animals()).map(({ id, name }) => ({ id, name }))
      const names = async (query: string) => {
        const text = await (await ada.get(`/api/export?format=ndjson&${query}`)).text()
        return [...text.matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name)
      }
      const whole = ['Ólafur the Great', 'The great Olafur', 'Great Olafur']
      assert.deepEqual([great?.name, last?.name], [whole[2], whole[0]])
      assert.deepEqual(await names('text=great%20olafur'), whole)
      assert.deepEqual(await names('text=olafur&status=sold&category=7'), [whole[0]])
      assert.deepEqual(await names('status=none'), [whole[1]])
      assert.deepEqual(await names(`text=${great?.id}`), [whole[2]])
      assert.deepEqual(await names('text=nobody'), [])
      const listed = (query: string) => ada.ask<AnimalPage>('GET', `/api/animals?${query}`)
      const found = (await listed('text=great%20olafur')).json.animals.map(({ name }) => name)
      assert.deepEqual(found.toSorted(), whole.toSorted())
      const entries = await store.records.journal({ ...WHOLE_JOURNAL, limit: 4 })
      assert.deepEqual(
        entries.map(({ act, to }) => [act, to]),
        [
          ['export', '{"format":"ndjson","text":"nobody"}'],
          ['export', `{"format":"ndjson","text":"${great?.id}"}`],
          ['export', '{"format":"ndjson","status":"none"}'],
          ['export', '{"format":"ndjson","text":"olafur","status":"sold","categoryId":7}'],
        ],
      )
      const csv = await (await ada.get('/api/export?format=csv&text=great%20olafur')).text()
      const { animals: rows, badRows, duplicates } = (await ada.upload<Upload>(csv)).json
      assert.deepEqual([rows, badRows, duplicates], [3, 0, 3])
      assert.equal((await ada.get('/api/export?status=removed')).status, 400)
      assert.equal((await ada.get('/api/export?category=x')).status, 400)
    })

    it('an export ends when the client hangs up, and then another one may run', async () => {
      // More than the connection takes before anybody reads.
      const row = (n: number) => ({ name: `${'x'.repeat(4_000)} ${n}`, categoryId: 7n })
      await store.imports.add(
        (async function* () {
          for (let n = 0; n < 3_000; n += 500) yield Array.from({ length: 500 }, (_, i) => row(n + i))
        })(),
        PLAIN_IMPORT,
      )
      const hangUp = new AbortController()
      const first = await ada.get('/api/export', hangUp.signal)
      assert.equal(first.status, 200)
      assert.equal((await ada.get('/api/export')).status, 503)
      hangUp.abort()
      await until('another one runs', async () => {
        const again = await ada.get('/api/export')
        const text = await again.text()
        if (again.status === 200) assert.equal(text.split('\n').length, 3_002)
        return again.status === 200
      })
    })
  },
)

it('a database that takes no import says why, in the store’s own words', async () => {
  const database = `sqlite:${temporaryFolder()}/pets.db`
  await using office = await startOfficeApp(database)
  const ada = await office.enter('Ada')
  const path = database.slice('sqlite:'.length)
  const refusal = async () => {
    const { status, json } = await ada.upload<OfficeError>(`${HEADER}Mia,7,\n`)
    assert.deepEqual([status, json.code], [503, 'unavailable'])
    return json.message
  }
  const other = lockExclusively(path, 'importing', 'taken')
  assert.match(await refusal(), /^Another import or sync into .* is running; wait for its end and try again\.$/)
  other.release()
  rmSync(`${path}.importing`)
  mkdirSync(`${path}.importing`)
  assert.match(await refusal(), /^The lock file .* cannot be used: this user may not write it; run this as its owner/)
  rmdirSync(`${path}.importing`)
  assert.equal((await ada.upload<Upload>(`${HEADER}Mia,7,\n`)).status, 200)
})
