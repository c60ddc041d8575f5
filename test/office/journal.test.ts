/** The journal in the office: what was done, by whom, page by page, and filtered. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { INT64_MAX } from '../../src/contract/int64.ts'
import type { JournalLine, JournalPage } from '../../src/office/office-data.ts'
import { addJournalRoutes, LINES_PER_PAGE } from '../../src/office/routes/journal-routes.ts'
import { type OfficeRoutes, startRoutes } from '../support/office-app.ts'
import { onEachEngine } from '../support/on-each-engine.ts'

onEachEngine(
  (name) => `the office’s journal on ${name}`,
  (engine) => {
    const open = async () => startRoutes(await engine.createDatabase(), addJournalRoutes)
    const read = async (office: OfficeRoutes, query: Readonly<Record<string, string>> = {}): Promise<JournalPage> => {
      const { status, body } = await office.ask('GET', `/api/journal?${new URLSearchParams(query)}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const changes = async (office: OfficeRoutes, count: number, by: (n: number) => { who: string; atMs: number }) => {
      const { id } = await office.store.pets.create({ name: 'Rex', categoryId: 1n })
      for (let n = 1; n <= count; n += 1) await office.store.records.change([id], { name: `Rex ${n}` }, by(n))
      return id
    }
    const namesOf = ({ lines }: JournalPage) => lines.map(({ to }: JournalLine) => to.name)

    it('comes by pages, newest first, and every line once', async () => {
      await using office = await open()
      await changes(office, LINES_PER_PAGE + 3, (n) => ({ who: 'Ana', atMs: n }))
      const first = await read(office)
      assert.equal(first.lines.length, LINES_PER_PAGE)
      assert.equal(namesOf(first)[0], `Rex ${LINES_PER_PAGE + 3}`)
      const second = await read(office, { before: first.older ?? '' })
      assert.deepEqual(namesOf(second), ['Rex 3', 'Rex 2', 'Rex 1'])
      assert.equal(second.older, null)
    })

    it('is filtered by author, by animal, by key, by time, and by several of these', async () => {
      await using office = await open()
      const id = await changes(office, 6, (n) => ({ who: n % 2 === 0 ? 'Ana' : 'Ben', atMs: n * 1_000 }))
      await changes(office, 1, () => ({ who: 'Ana', atMs: 9_000 }))
      assert.deepEqual(namesOf(await read(office, { who: 'Ana' })), ['Rex 1', 'Rex 6', 'Rex 4', 'Rex 2'])
      assert.deepEqual(namesOf(await read(office, { who: 'Ana', petId: `${id}` })), ['Rex 6', 'Rex 4', 'Rex 2'])
      assert.deepEqual(namesOf(await read(office, { petId: `${id}`, since: '5000' })), ['Rex 6', 'Rex 5'])
      assert.deepEqual(namesOf(await read(office, { who: 'An' })), [])
      assert.deepEqual(namesOf(await read(office, { keyId: 'key_none' })), [])
    })

    it('ends where the entries are older than asked for, and does not read on', async () => {
      await using office = await open()
      await changes(office, 2 * LINES_PER_PAGE, (n) => ({ who: 'Ana', atMs: n }))
      const { lines, older } = await read(office, { since: String(2 * LINES_PER_PAGE - 4) })
      assert.equal(lines.length, 5)
      assert.equal(older, null)
    })

    it('shows values as text, with every digit', async () => {
      await using office = await open()
      const { id } = await office.store.pets.create({ name: 'Rex', categoryId: INT64_MAX, status: 'sold' })
      await office.store.records.change([id], { categoryId: 7n, status: null }, { who: 'Ana', atMs: 5 })
      await office.store.records.remove([id], { who: 'Ben', atMs: 6 })
      assert.deepEqual((await read(office)).lines, [
        { n: '2', atMs: 6, who: 'Ben', act: 'remove', petId: `${id}`, keyId: null, from: {}, to: {} },
        {
          n: '1',
          atMs: 5,
          who: 'Ana',
          act: 'edit',
          petId: `${id}`,
          keyId: null,
          from: { categoryId: '9223372036854775807', status: 'sold' },
          to: { categoryId: '7', status: null },
        },
      ])
    })

    it('refuses filters that it cannot read', async () => {
      await using office = await open()
      for (const query of [
        'petId=1.5',
        'before=x',
        'since=yesterday',
        'since=-1',
        `who=${'x'.repeat(500)}`,
        'who=a&who=b',
        'who=%00',
        'keyId=a%00',
      ]) {
        const { status, body } = await office.ask('GET', `/api/journal?${query}`)
        assert.deepEqual([status, body.code], [400, 'invalid'], query)
      }
    })
  },
)
