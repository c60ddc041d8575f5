/** The journal by pages and filters. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JournalLine, JournalPage } from '../../src/office/office-data.ts'
import { type OfficeOfOperator, startOfficeApp, startWithOperator } from '../support/office-app.ts'
import { batchesOf, keyOf, PLAIN_IMPORT, PLAIN_SYNC } from '../support/store.ts'

const KEY = keyOf({ id: 'key_1' })

describe('the office’s journal', () => {
  const read = async (office: OfficeOfOperator, query: Readonly<Record<string, string>> = {}): Promise<JournalPage> => {
    const { status, body } = await office.ask('GET', `/api/journal?${new URLSearchParams(query)}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const changes = async (office: OfficeOfOperator, count: number, by: (n: number) => { who: string; atMs: number }) => {
    const { id } = await office.store.pets.create({ name: 'Rex', categoryId: 1n })
    for (let n = 1; n <= count; n += 1) await office.store.records.change([id], { name: `Rex ${n}` }, by(n))
    return id
  }
  const namesOf = ({ lines }: JournalPage) => lines.map(({ to }: JournalLine) => to.name)

  it('starts at the newest entry, even if a cursor is far ahead of it', async () => {
    await using office = await startWithOperator()
    await changes(office, 3, (n) => ({ who: 'Ana', atMs: n }))
    const { records } = office.store
    const journal = records.journal.bind(records)
    let steps = 0
    records.journal = (query) => {
      steps += 1
      return journal(query)
    }
    for (const before of ['9223372036854775807', '1000000000']) {
      steps = 0
      assert.equal((await read(office, { before })).lines.length, 3)
      assert.equal(steps, 2, 'the newest entry, and one step')
    }
  })

  it('is filtered by author, animal, time and kind, with the animals’ latest names', async () => {
    await using office = await startWithOperator()
    const id = await changes(office, 6, (n) => ({ who: n % 2 === 0 ? 'Ana' : 'Ben', atMs: n * 1_000 }))
    const gone = await changes(office, 1, () => ({ who: 'Ana', atMs: 9_000 }))
    await office.store.records.remove([gone], { who: 'Ana', atMs: 9_500 })
    const found = async (query: Readonly<Record<string, string>>) => namesOf(await read(office, query))
    assert.deepEqual(await found({ who: 'an', animal: `${id}` }), ['Rex 6', 'Rex 4', 'Rex 2'])
    assert.deepEqual(await found({ who: 'ben', animal: 'REX 6' }), ['Rex 5', 'Rex 3', 'Rex 1'])
    assert.deepEqual(await found({ kind: 'change', since: '5000' }), ['Rex 1', 'Rex 6', 'Rex 5'])
    assert.deepEqual(await found({ since: '5000', who: 'nobody' }), [])
    const { lines } = await read(office, { kind: 'remove' })
    assert.deepEqual(
      lines.map(({ act }) => act),
      ['remove'],
    )
    const names = (await read(office)).lines.flatMap(({ petId, animalName }) =>
      petId === null ? [] : [[petId, animalName]],
    )
    assert.deepEqual(Object.fromEntries(names), { [`${id}`]: 'Rex 6', [`${gone}`]: 'Rex 1' })
  })

  it('searches far back for rare entries, with each entry once', async () => {
    await using office = await startWithOperator()
    const { records } = office.store
    await office.store.categories.name(new Map([[1n, 'Dogs']]), { who: 'Ana', atMs: 1 })
    const many = Array.from({ length: 6_000 }, (_, n) => ({ name: `Rex ${n}`, categoryId: 1n }))
    await office.store.imports.add(batchesOf(many), PLAIN_IMPORT)
    const pets = await records.find({ text: '', status: undefined, limit: 6_000 })
    const targets = pets.map(({ id }) => BigInt(id))
    await records.change(targets, { status: 'sold' }, { who: 'Ben', atMs: 2 }, 'all that can be')
    const { lines, older } = await read(office, { kind: 'category' })
    assert.deepEqual([lines.map(({ n }) => n), older], [['1'], null])
  })

  it('shows staff and managers only acts on animals, and operators everything', async () => {
    await using office = await startOfficeApp()
    const { records, keys } = office.store
    const by = { who: 'cli ada', atMs: 1 }
    const { pet } = await records.add({ name: 'Mia', categoryId: 7n }, by, 'a'.repeat(32))
    const id = BigInt(pet?.id ?? '')
    await records.change([id], { status: 'sold' }, by)
    await records.remove([id], by)
    await records.restore([id], by)
    await office.store.categories.name(new Map([[7n, 'Dogs']]), by)
    await office.store.imports.add(batchesOf([{ name: 'Rex', categoryId: 7n }]), PLAIN_IMPORT)
    await office.store.imports.undo(1n, by)
    await records.noteExport('csv', { text: '', status: undefined }, by)
    await keys.add(KEY, 'a hash', by)
    const animals = ['undo import', 'import', 'label', 'restore', 'remove', 'edit', 'add']
    for (const role of ['viewer', 'staff', 'manager', 'operator'] as const) {
      const client = await office.enter(`${role} here`, role)
      const seen = async (query: string) => {
        const { json } = await client.ask<JournalPage>('GET', `/api/journal?${query}`)
        return new Set(json.lines.map(({ act }) => act))
      }
      const others = role === 'operator' ? ['issue key', 'export'] : []
      const all = await seen('')
      assert.deepEqual(
        [...all].filter((act) => others.includes(act) || animals.includes(act)),
        [...others, ...animals],
      )
      if (role !== 'operator') assert.equal(all.size, animals.length)
      assert.equal((await seen('keyId=key_1')).size, role === 'operator' ? 1 : 0)
      assert.equal((await seen(`who=${role}%20here`)).size > 0, role === 'operator')
      const keysAsked = await client.ask('GET', '/api/journal?kind=key')
      assert.equal(keysAsked.status, role === 'operator' ? 200 : 403)
    }
  })

  it('shows an import as one entry, with its parts on demand', async () => {
    await using office = await startWithOperator()
    const listed = Array.from({ length: 3 }, (_, n) => ({
      name: `Rex ${n}`,
      categoryId: 7n,
      reference: `A${n}`,
      line: n,
    }))
    await office.store.sync.run(batchesOf(listed), PLAIN_SYNC)
    const [entry, ...others] = (await read(office, { kind: 'import' })).lines
    assert.deepEqual([entry?.act, entry?.importN, entry?.parts, others], ['sync', '1', { add: 3 }, []])
    const { lines } = await read(office, { partOf: entry?.n ?? '' })
    assert.deepEqual(
      lines.map(({ act, petId }) => [act, petId]),
      ['3', '2', '1'].map((id) => ['add', id]),
    )
    await office.store.imports.undo(1n, { who: 'Ben', atMs: 2 })
    const after = (await read(office, { kind: 'import' })).lines
    assert.deepEqual(
      after.map(({ act, isUndone, parts }) => [act, isUndone, parts]),
      [
        ['undo import', false, { remove: 3 }],
        ['sync', true, { add: 3 }],
      ],
    )
  })

  it('refuses filters that it cannot read', async () => {
    await using office = await startWithOperator()
    for (const query of ['before=x', 'partOf=x', 'since=-1', 'kind=edit', 'who=a&who=b', 'who=%00']) {
      const { status, body } = await office.ask('GET', `/api/journal?${query}`)
      assert.deepEqual([status, body.code], [400, 'invalid'], query)
    }
  })
})
