/** The page that the service keeps by itself (`--publish`): on the real process, on each engine. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { systemClock } from '../../src/common/system-clock.ts'
import { NAMES } from '../../src/public-page/folder.ts'
import { openStore } from '../../src/store/open.ts'
import { authorAt } from '../support/author.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { onEachEngine } from '../support/on-each-engine.ts'
import { type RunningService, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const BY = authorAt(Date.UTC(2026, 10, 23))

onEachEngine(
  (name) => `the page that the service keeps of its animals in ${name}`,
  (engine) => {
    let database: string
    let service: RunningService
    const folder = join(temporaryFolder(), 'site')
    const read = () => readFileSync(join(folder, 'index.html'), 'utf8')
    const inStore = async (work: (store: Awaited<ReturnType<typeof openStore>>) => unknown) => {
      const store = await openStore(database, { serving: false, clock: systemClock })
      try {
        await work(store)
      } finally {
        await store.close()
      }
    }
    const metric = async (name: string) => {
      const text = await (await fetch(`${service.operatorUrl}/metrics`)).text()
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    }
    const lines = (text: string) =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes(text))

    before(async () => {
      database = await engine.createDatabase()
      const args = ['--publish', folder, '--publish-status', 'available,pending', '--publish-title', 'Waiting for you']
      service = await startService({ database, args })
    })
    after(() => service.stop())

    it('is there soon after the start, with the title and the statuses that it was given', async () => {
      await until('the page', () => NAMES.every((name) => existsSync(join(folder, name))))
      assert.match(read(), /<h1><bdi>Waiting for you<\/bdi>/)
      // The thread tells the service after it has written.
      await until('the metric', async () => {
        const seconds = await metric('pets_publish_last_success_timestamp_seconds')
        return Math.abs(seconds - Date.now() / 1_000) < 600
      })
    })

    it('follows what keys create, and what commands and people change', async () => {
      const { key } = await service.issueKey()
      const response = await fetch(`${service.baseUrl}/pets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'Rex', categoryId: 1, status: 'available' }),
      })
      const { id } = (await response.json()) as { id: number }
      await until('Rex', () => read().includes('<bdi>Rex</bdi>'))
      await inStore(({ records }) => records.change([BigInt(id)], { name: 'Bruno', status: 'pending' }, BY))
      await until('Bruno', () => /<bdi>Bruno<\/bdi><\/p>\n.*>Pending</.test(read()))
      await inStore(({ categories }) => categories.name(new Map([[1n, 'Dogs']]), BY))
      await until('a heading', () => read().includes('<bdi>Dogs</bdi></h2>'))
      await inStore(({ records }) => records.change([BigInt(id)], { status: 'sold' }, BY))
      await until('no animal', () => read().includes('No animals at the moment.'))
    })

    it('is not written where nothing in it has changed', async () => {
      const times = () => ['.', ...NAMES].map((name) => statSync(join(folder, name), { bigint: true }).mtimeNs)
      const sold = async () => {
        const successes = await metric('pets_publish_last_success_timestamp_seconds')
        await inStore((store) => store.pets.create({ name: 'Sold already', categoryId: 1n, status: 'sold' }))
        await until('a look', async () => (await metric('pets_publish_last_success_timestamp_seconds')) > successes)
      }
      // The first look ends what the last change began, of which only one file was waited for.
      await sold()
      const before = times()
      await sold()
      assert.deepEqual(times(), before)
    })

    it('that cannot be written is told once, in the log, the metrics and by /readyz, until it is written again', async () => {
      // The service makes the folder anew where it is gone, also between these two.
      await until('a file is in its place', () => {
        rmSync(folder, { recursive: true, force: true })
        try {
          writeFileSync(folder, 'in the way')
          return true
        } catch {
          return false
        }
      })
      await inStore((store) => store.pets.create({ name: 'Luna', categoryId: 1n, status: 'available' }))
      const told = () => lines('it is a file, or lies in one; name a folder; it is told when it is written again')
      await until('the line', () => told().length > 0)
      // A busy database may have failed it before, and so may the file while the thread was writing.
      const failures = await metric('pets_publish_failures_total')
      await until('two more failures', async () => (await metric('pets_publish_failures_total')) >= failures + 2)
      assert.equal(told().length, 1)
      const ready = await fetch(`${service.operatorUrl}/readyz`)
      assert.equal(ready.status, 200)
      assert.match(await ready.text(), /No public page is written: The public page cannot be written to /)
      const again = lines('the public page is written again').length
      rmSync(folder)
      await until('Luna', () => existsSync(join(folder, 'index.html')) && read().includes('<bdi>Luna</bdi>'))
      await until('the line', () => lines('the public page is written again').length > again)
      assert.doesNotMatch(service.output(), /"stack"/)
      assert.doesNotMatch(await (await fetch(`${service.operatorUrl}/readyz`)).text(), /public page/)
    })

    it('is left whole by the end of the service, which does not wait for it', async () => {
      assert.equal(await service.stop(), 0)
      assert.deepEqual(readdirSync(folder).sort(), [...NAMES].sort())
    })
  },
)

it('is refused at the start where it has no place, and nothing is made', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'index.html'), 'the home page of the shelter')
  const database = join(home, 'pets.db')
  const { code, stderr } = await pets(['serve', '--port', '0', '--database', `sqlite:${database}`, '--publish', home])
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^The public page cannot be written to \S+: the index\.html in it is not of this command; [^\n]+\n$/,
  )
  assert.equal(existsSync(database), false)
})
