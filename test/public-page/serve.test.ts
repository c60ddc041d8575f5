/** The page that the service keeps by itself (`--publish`), on each engine. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { NAMES } from '../../src/public-page/folder.ts'
import { CHECK_EVERY_MS, Publishing } from '../../src/service/publishing.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { onEachEngine } from '../store/on-each-engine.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { keptLog } from '../support/log.ts'
import { authorAt } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'

const LOADED = ['page.js', 'embed.js', 'style.css', 'favicon.svg']
const BY = authorAt(Date.UTC(2026, 10, 23))

onEachEngine(
  (name) => `the page that the service keeps of its animals in ${name}`,
  (engine) => {
    const [folder, clock] = [join(temporaryFolder(), 'site'), new VirtualClock()]
    const { log, text: written } = keptLog({ level: 'debug' })
    let store: Store
    let publishing: Publishing
    const there = () => readdirSync(folder).filter((name) => name !== 'page.conf' && name !== 'animal')
    const read = () => readFileSync(join(folder, 'index.html'), 'utf8')
    const untilLooked = async (what: string, holds: () => boolean) => {
      await until(what, () => {
        clock.pass(CHECK_EVERY_MS)
        return holds()
      })
    }
    const stopping = new AbortController()
    const logged = (text: string) => written().split(text).length - 1

    before(async () => {
      const database = await engine.createDatabase()
      store = await openStore(database, { serving: true, clock: patientClock })
      mkdirSync(folder)
      writeFileSync(join(folder, 'page.conf'), 'title = Waiting for you\n')
      const { signal } = stopping
      publishing = new Publishing({ store, database, folder, log, clock, signal })
    })
    after(async () => {
      stopping.abort()
      await publishing.close()
      await store.close()
    })

    it('exists after the start, with the settings that page.conf of 2.1 had', async () => {
      await until('the page', () => publishing.lastSuccessMs !== undefined)
      assert.deepEqual(there().sort(), [...NAMES, ...LOADED].sort())
      assert.match(read(), /<h1><bdi>Waiting for you<\/bdi>/)
    })

    it('follows the settings', async () => {
      await store.words.setShelter({ title: 'At home', statuses: 'available, pending' }, BY)
      await untilLooked('the title', () => read().includes('<h1><bdi>At home</bdi>'))
    })

    it('follows what keys create, and what commands and people change', async () => {
      const { id } = await store.pets.create({ name: 'Rex', categoryId: 1n, status: 'available' })
      await untilLooked('Rex', () => read().includes('<bdi>Rex</bdi>'))
      await store.records.change([BigInt(id)], { name: 'Bruno', status: 'pending' }, BY)
      await untilLooked('Bruno', () => /<bdi>Bruno<\/bdi><\/a><\/p>\n.*>Pending</.test(read()))
      await store.categories.name(new Map([[1n, 'Dogs']]), BY)
      await untilLooked('a heading', () => read().includes('<bdi>Dogs</bdi>'))
      await store.records.change([BigInt(id)], { status: 'sold' }, BY)
      await untilLooked('no animal', () => read().includes('No animals at the moment.'))
    })

    it('is not written if nothing has changed', async () => {
      const times = () => ['.', ...NAMES].map((name) => statSync(join(folder, name), { bigint: true }).mtimeNs)
      const sold = async () => {
        const successes = logged('the public page is up to date')
        await store.pets.create({ name: 'Sold already', categoryId: 1n, status: 'sold' })
        await untilLooked('a write', () => logged('the public page is up to date') > successes)
      }
      // The first ends what the last change began.
      await sold()
      const before = times()
      await sold()
      assert.deepEqual(times(), before)
    })

    it('is reported once if it cannot be written', async () => {
      rmSync(folder, { recursive: true })
      writeFileSync(folder, 'in the way')
      const reason = 'it is a file, or is inside a file; use a folder; the log will say when it succeeds again'
      const told = logged(reason)
      await store.pets.create({ name: 'Luna', categoryId: 1n, status: 'available' })
      await untilLooked('a failure', () => publishing.failures > 0)
      const { failures } = publishing
      await untilLooked('two more', () => publishing.failures >= failures + 2)
      assert.match(publishing.failure ?? '', /^The public page cannot be written to /)
      assert.equal(logged(reason), told + 1)
      const again = logged('the public page is written again')
      rmSync(folder)
      await untilLooked('Luna', () => existsSync(join(folder, 'index.html')) && read().includes('<bdi>Luna</bdi>'))
      await untilLooked('the line', () => logged('the public page is written again') > again)
      assert.equal(publishing.failure, undefined)
      assert.doesNotMatch(written(), /"stack"/)
    })

    it('is complete when the service ends', async () => {
      await store.pets.create({ name: 'Mia', categoryId: 1n, status: 'available' })
      clock.pass(CHECK_EVERY_MS)
      await publishing.close()
      assert.deepEqual(there().sort(), [...NAMES, ...LOADED].sort())
    })
  },
)

it('is refused at the start if its folder is unusable', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'index.html'), 'the home page of the shelter')
  const database = join(home, 'pets.db')
  const { code, stderr } = await pets(['serve', '--port', '0', '--database', `sqlite:${database}`, '--publish', home])
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^The public page cannot be written to \S+: the index\.html in it was not written by this command; [^\n]+\n$/,
  )
  assert.ok(!existsSync(database))
})
