/** Imports and exports in the office. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { INT64_MAX } from '../../src/contract/int64.ts'
import { hashToken } from '../../src/domain/people.ts'
import type { AnimalPage, ImportResult, ImportSummary, OfficeError, Upload } from '../../src/office/office-data.ts'
import { lockExclusively } from '../../src/store/sqlite/file/file-lock.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { statusesOf } from '../support/http.ts'
import { keptUploads, type OfficeApp, startOfficeApp } from '../support/office-app.ts'
import type { SignedInClient } from '../support/office-client.ts'
import { batchesOf, PLAIN_IMPORT, WHOLE_JOURNAL } from '../support/store.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'

const HEADER = 'name,categoryId,status\n'
const ALL = { skipInvalid: false, duplicates: 'refuse' }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describe('the import routes', () => {
  const usual = process.env.TMPDIR
  const folder = temporaryFolder()
  let store: Store
  let office: OfficeApp
  let ada: SignedInClient

  beforeEach(async () => {
    const file = `${temporaryFolder()}/pets.db`
    process.env.TMPDIR = folder // which is empty again after each
    office = await startOfficeApp({ file })
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

  it('review, import, list and undo a file', async () => {
    const name = '<b>Łódź</b>'
    const text = `${HEADER}"${name}",${INT64_MAX},sold\nMia,7,\n`
    const { status, json: look } = await ada.upload<Upload>(text, 'C:\\fakepath\\an <i>mals.csv')
    const { found } = look
    assert.deepEqual([status, look.file, found?.animals, found?.badRows], [200, 'an <i>mals.csv', 2, 0])
    const groups = [
      { kind: 'added', categoryId: '7', status: null, animals: 1 },
      { kind: 'added', categoryId: String(INT64_MAX), status: 'sold', animals: 1 },
    ]
    assert.deepEqual(new Set(found?.groups), new Set(groups))
    const rows = [
      { name, categoryId: String(INT64_MAX), status: 'sold' },
      { name: 'Mia', categoryId: '7', status: null },
    ]
    assert.deepEqual(
      found?.changes.map(({ now }) => now),
      rows,
    )
    assert.equal(look.readAs, 'Read as UTF-8, CSV with commas.')
    assert.deepEqual(await animals(), [], 'nothing was imported yet')
    const { json: done } = await run(look.id)
    assert.deepEqual([done.animals, done.badRows], [2, 0])
    assert.deepEqual(
      (await animals()).map(({ name, categoryId, status }) => ({ name, categoryId, status })),
      rows.toReversed(),
    )
    const [line] = (await ada.ask<ImportSummary[]>('GET', '/api/imports')).json
    const facts = { n: done.n, atMs: office.clock.nowMs, who: 'Ada', source: 'an <i>mals.csv', animals: 2 }
    assert.deepEqual(line, { ...facts, undoneAtMs: null })
    const undo = () => ada.ask('POST', `/api/imports/${done.n}/undo`, {})
    const both = await Promise.all([undo(), undo()])
    assert.deepEqual(statusesOf(both).sort(), [200, 404])
    assert.deepEqual(both.find(({ status }) => status === 200)?.json, { removed: 2, kept: 0 })
    assert.deepEqual(await animals(), [])
    assert.equal((await ada.ask('POST', '/api/imports/x/undo', {})).status, 404)
  })

  it('import a file once even if the request is sent twice', async () => {
    const { json } = await ada.upload<Upload>(`${HEADER}Mia,7,\n`)
    const both = await Promise.all([run(json.id), run(json.id)])
    assert.deepEqual(statusesOf(both).sort(), [200, 404])
    assert.equal((await animals()).length, 1)
  })

  it('end a waiting review with its client, but finish an import without it', async () => {
    const { id } = (await ada.upload<Upload>(`${HEADER}Mia,7,\n`)).json
    const { imports } = store
    const add = imports.add.bind(imports)
    const gate = Promise.withResolvers<void>()
    const kinds: boolean[] = []
    imports.add = async (batches, options) => {
      kinds.push(options.dryRun)
      await gate.promise
      return add(batches, options)
    }
    const first = ada.ask('POST', `/api/uploads/${id}`, {})
    for (const [path, body] of [
      [`/api/uploads/${id}`, {}],
      ['/api/imports', { ...ALL, upload: id }],
    ] as const) {
      using _hasty = ada.begin('POST', path, { body })
      for (let n = 0; n < 3; n += 1) await ada.ask('GET', '/api/session')
    }
    for (let n = 0; n < 3; n += 1) await ada.ask('GET', '/api/session')
    gate.resolve()
    assert.equal((await first).status, 200)
    await until('it is imported', async () => (await animals()).length === 1)
    assert.deepEqual(kinds, [true, false])
  })

  it('refuse or skip invalid rows and duplicates, as chosen', async () => {
    await store.pets.create({ name: 'Tom', categoryId: 1n })
    const { json } = await ada.upload<Upload>(`${HEADER}Tom,1,sold\nMia,7,sold\nbad\nTom,2,\n`)
    const { found } = json
    assert.deepEqual([found?.animals, found?.duplicates, found?.badRows, found?.problems[0]?.line], [3, 1, 1, 4])
    const alike = found?.groups.filter(({ kind }) => kind === 'alike')
    assert.deepEqual(alike, [{ kind: 'alike', categoryId: '1', status: 'sold', animals: 1 }])
    const refused = async (more: object, upload = json.id) => {
      const { status, json } = await run<OfficeError>(upload, more)
      assert.deepEqual([status, json.code], [400, 'invalid'])
      return json.message
    }
    assert.match(await refused({}), /^Nothing was imported: the file has 1 invalid row\./)
    const known = /^1 of 3 looks? like .* already here; nothing was imported\./
    assert.match(await refused({ skipInvalid: true }), known)
    assert.equal((await animals()).length, 1)
    const { json: done } = await run(json.id, { duplicates: 'leave out', skipInvalid: true })
    assert.deepEqual([done.animals, done.duplicates, done.badRows], [2, 1, 1])
    const again = await ada.upload<Upload>(`${HEADER}Tom,1,sold\nMia,7,sold\n`)
    assert.match(await refused({}, again.json.id), /^2 of 2 look like .* already here; nothing was imported\./)
    const nothing = { n: null, animals: 0, counts: null, badRows: 0 }
    assert.deepEqual((await run(again.json.id, { duplicates: 'leave out' })).json, { ...nothing, duplicates: 2 })
    const empty = await ada.upload<Upload>(HEADER)
    assert.deepEqual((await run(empty.json.id)).json, { ...nothing, duplicates: 0 })
  })

  it('refuse an unreadable mapping and keep the one before', async () => {
    const { json: first } = await ada.upload<Upload>('Call,Kind\nMia,Cat\n')
    const read = (mapping: string) => ada.ask<Upload>('POST', `/api/uploads/${first.id}`, { mapping })
    const { json } = await read('name = Call\ncategory = Kind\nstatus =\nstatus: = none')
    assert.equal(json.found?.animals, 1)
    for (const wrong of ['colour = Fur', 'status: a', 'missing = all'])
      assert.equal((await read(wrong)).status, 400, wrong)
    assert.equal((await read('x'.repeat(300_000))).status, 413)
    assert.equal((await run(first.id)).json.animals, 1)
  })

  it('count every row once, as added, changed, unchanged, skipped or invalid', async () => {
    const list =
      'Animal ID,Name,Species,Status\n1,Rex,Dog,Available\n1,Rex,Dog,Available\n2,Mia,Cat,Died\n3,Tom,Cat,Hold\nAnimal ID,Name,Species,Status\n4,Bo\n'
    const { found } = (await ada.upload<Upload>(list)).json
    const skippedOf = (one = found) => one?.skipped.reduce((sum, { rows }) => sum + rows, 0)
    assert.deepEqual([found?.sync?.counts.added, found?.badRows, skippedOf()], [2, 1, 3])
    const first = (await ada.upload<Upload>(list.replace('4,Bo\n', ''))).json
    await run(first.id)
    const second = await ada.upload<Upload>(
      'Animal ID,Name,Species,Status\n1,Rex,Dog,Died\n2,Mia,Cat,Died\n3,Tom,Cat,Hold\n',
    )
    assert.deepEqual([second.json.found?.sync?.counts.left, skippedOf(second.json.found)], [1, 1])
  })

  it('keep an upload for its person only, and for an hour', async () => {
    const ben = await office.enter('Ben')
    const { id } = (await ada.upload<Upload>(`${HEADER}Mia,7,\n`)).json
    assert.equal((await ben.ask('POST', '/api/imports', { ...ALL, upload: id })).status, 404)
    assert.equal((await ben.ask('POST', `/api/uploads/${id}`, {})).status, 404)
    office.clock.nowMs += 1_700_000 // a session ends after half an hour without use
    await animals()
    const secret = ada.headers.cookie?.replace(/^.*=/, '') ?? ''
    const seenAtMs = async () => (await store.people.session(hashToken(secret)))?.seenAtMs
    // A use is not noted while the previous one is still being noted.
    const isStored = async () => (await animals()) && (await seenAtMs()) === office.clock.nowMs
    await until('the use of the session is stored', isStored)
    office.clock.nowMs += 1_700_000
    assert.equal((await ada.ask('POST', `/api/uploads/${id}`, {})).status, 200)
    await until('and this one', isStored)
    office.clock.nowMs += HOUR_MS - 3_400_000
    assert.equal((await run(id)).status, 404)
    assert.deepEqual(await animals(), [])
  })

  it('refuse anything except one file of limited size, and continue', async () => {
    const send = async (body: FormData | string, headers = {}) => {
      const of = { method: 'POST', headers: { ...ada.headers, ...headers }, body }
      return (await fetch(`${office.operatorUrl}/api/uploads`, of)).status
    }
    const text = new FormData()
    text.append('text', 'Mia')
    assert.equal(await send(text), 400)
    assert.equal(await send('{}', { 'content-type': 'application/json' }), 403)
    const form = { 'content-type': 'multipart/form-data; boundary=x' }
    assert.equal(await send('nothing', form), 400)
    const nameless = 'content-disposition: form-data; name="file"\r\ncontent-type: application/octet-stream'
    assert.equal(await send(`--x\r\n${nameless}\r\n\r\n${HEADER}Mia,7,\n\r\n--x--\r\n`, form), 200)
    assert.equal((await add(`${HEADER}Mia,7,\n`)).status, 200)
    assert.equal((await ada.upload(new Uint8Array((64 << 20) + 1))).status, 413)
    assert.equal((await add(`${HEADER}Tom,7,\n`)).status, 200)
    assert.doesNotMatch(office.log(), /"level":50/)
  })

  it('leave nothing of an upload that stops in the middle', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': '1000000' }
    for (const end of ['end', 'destroy', 'resetAndDestroy'] as const) {
      using upload = ada.begin('POST', '/api/uploads', { headers })
      upload.send('--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,categoryId\n')
      if (existsSync('/proc/self/fd')) await until('the upload has begun', () => keptUploads().length === 1)
      upload.socket[end]()
      await until('nothing is left', () => keptUploads().length === 0 && readdirSync(folder).length === 0)
    }
    assert.equal((await add(`${HEADER}Mia,7,\n`)).status, 200)
  })

  it('say that no file can be stored, and continue', async () => {
    process.env.TMPDIR = `${folder}/gone`
    const { status, json } = await ada.upload<OfficeError>(`${HEADER}Mia,7,\n`)
    assert.deepEqual([status, json.code], [503, 'unavailable'])
    assert.match(json.message, /cannot keep the file \(ENOENT\)/)
    process.env.TMPDIR = folder
    assert.equal((await add(`${HEADER}Mia,7,\n`)).status, 200)
  })

  it('export every animal as a file with the date in its name', async () => {
    await add(`${HEADER}"Łódź, ""x""",${INT64_MAX},sold\n=1+1,7,\n`)
    const csv = await ada.get('/api/export')
    assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="animals-2026-11-21.csv"')
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
    const [first, second] = (await animals()).map(({ id }) => id).toReversed()
    const lines = `id,name,categoryId,status\n${first},"Łódź, ""x""",${INT64_MAX},sold\n`
    assert.equal(Buffer.from(await csv.arrayBuffer()).toString(), `\ufeff${lines}${second},'=1+1,7,\n`)
    for (const wrong of ['status=removed', 'category=x'])
      assert.equal((await ada.get(`/api/export?${wrong}`)).status, 400, wrong)
  })

  it('export exactly the matches of a search, and journal it', async () => {
    await add(
      `${HEADER}Ólafur the Great,7,sold\nThe great Olafur,${INT64_MAX},\nOlaf,7,sold\nGreat Olafur,7,available\n`,
    )
    const [great] = await animals()
    const exported = async (query: string) => {
      const text = await (await ada.get(`/api/export?${query}`)).text()
      return text
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[1])
    }
    const whole = ['Ólafur the Great', 'The great Olafur', 'Great Olafur']
    assert.deepEqual(await exported('text=great%20olafur'), whole)
    assert.deepEqual(await exported('text=olafur&status=sold&category=7'), [whole[0]])
    assert.deepEqual(await exported('status=none'), [whole[1]])
    assert.deepEqual(await exported(`text=${great?.id}`), [whole[2]])
    assert.deepEqual(await exported('text=nobody'), [])
    const entries = await store.records.journal({ ...WHOLE_JOURNAL, limit: 4 })
    assert.deepEqual(
      entries.map(({ act, to }) => [act, to]),
      [
        ['export', '{"format":"csv","text":"nobody"}'],
        ['export', `{"format":"csv","text":"${great?.id}"}`],
        ['export', '{"format":"csv","status":"none"}'],
        ['export', '{"format":"csv","text":"olafur","status":"sold","categoryId":7}'],
      ],
    )
  })

  it('end an export when the client hangs up, so that another can run', async () => {
    // More than the connections buffer.
    const rows = Array.from({ length: 500 }, (_, n) => ({ name: `${'x'.repeat(4_000)} ${n}`, categoryId: 7n }))
    await store.imports.add(batchesOf(rows, rows, rows, rows, rows, rows), PLAIN_IMPORT)
    const [bo, cy] = [await office.enter('Bo'), await office.enter('Cy')]
    const hangUp = new AbortController()
    const [first, second] = [await ada.get('/api/export', hangUp.signal), await bo.get('/api/export', hangUp.signal)]
    assert.deepEqual(statusesOf([first, second]), [200, 200], 'two people can export')
    for (const [client, why] of [
      [ada, /^Your last export is still running/],
      [cy, /^Other exports are running/],
    ] as const) {
      const { status, json } = await client.ask<OfficeError>('GET', '/api/export')
      assert.equal(status, 503)
      assert.match(json.message, why)
    }
    hangUp.abort()
    await until('another one runs', async () => {
      const again = await ada.get('/api/export')
      const text = await again.text()
      if (again.status === 200) assert.equal(text.split('\n').length, 3_002)
      return again.status === 200
    })
  })
})

it('end an export after ten minutes, even if it is read slowly', async (t) => {
  const clock = new VirtualClock()
  await using office = await startOfficeApp({ clock })
  const ada = await office.enter('Ada')
  const { pets } = office.store
  await pets.create({ name: 'Mia', categoryId: 7n })
  const [rows = []] = await Array.fromAsync(pets.export())
  let minutes = 0
  t.mock.method(pets, 'export', async function* () {
    for (let n = 0; n < minutes; n += 1) {
      yield rows
      clock.pass(MINUTE_MS)
    }
    yield rows
  })
  minutes = 9
  assert.equal((await (await ada.get('/api/export')).text()).split('\n').length, 12)
  minutes = 10
  await assert.rejects((await ada.get('/api/export')).text(), TypeError)
})

it('report why the database refuses an import', async () => {
  const path = `${temporaryFolder()}/pets.db`
  await using office = await startOfficeApp({ file: path })
  const ada = await office.enter('Ada')
  const refusal = async () => {
    const { status, json } = await ada.upload<OfficeError>(`${HEADER}Mia,7,\n`)
    assert.deepEqual([status, json.code], [503, 'unavailable'])
    return json.message
  }
  const other = lockExclusively(path, 'importing', 'taken')
  assert.match(await refusal(), /^Another import or sync into .* is running; wait for its end and try again\.$/)
  other.close()
  rmSync(`${path}.importing`)
  mkdirSync(`${path}.importing`)
  assert.match(await refusal(), /^The lock file .* cannot be used: this user cannot write it; run this as its owner/)
  rmdirSync(`${path}.importing`)
  assert.equal((await ada.upload<Upload>(`${HEADER}Mia,7,\n`)).status, 200)
})
