/** `serve --sync-from`, on every engine: each list is taken once, as its settings say, all of it or nothing. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import pino from 'pino'
import { systemClock } from '../../../src/common/system-clock.ts'
import { ListsTaken } from '../../../src/service/lists/sync-from.ts'
import { LOOK_EVERY_MS } from '../../../src/service/lists/watched-folder.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { keptLog } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { onEachEngine } from '../../support/on-each-engine.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'
import { until } from '../../support/until.ts'

const HEADER = 'Animal ID,Pet,Species,State\n'
const SETTINGS =
  '# weekly\nref = Animal ID\nmap = name=Pet,categoryId=Species\nmap = status=State,status:here=available\n'

onEachEngine(
  (name) => `a service that takes lists, on ${name}`,
  (engine) => {
    async function withLists(nodes: number, work: (site: Awaited<ReturnType<typeof open>>) => Promise<void>) {
      const site = await open(nodes)
      try {
        await work(site)
      } finally {
        await site.close()
      }
    }

    async function open(nodes: number) {
      const database = await engine.createDatabase()
      const [folder, clock, kept] = [temporaryFolder(), new VirtualClock(), keptLog()]
      const stores: Store[] = []
      for (let n = 0; n < nodes; n += 1) stores.push(await openStore(database, { serving: true, clock: systemClock }))
      const [store] = stores
      assert(store)
      const start = (sync: Store['sync']) =>
        new ListsTaken({ folder, database, bodyLimit: 65_536, sync, log: pino(kept.into), clock })
      const taking = stores.map(({ sync }) => start(sync))
      const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
      return {
        ...{ folder, clock, store, taking, put, log: kept.text },
        restart: async () => {
          for (const one of taking.splice(0)) await one.close()
          taking.push(...stores.map(({ sync }) => start(sync)))
        },
        /** The service looks, again and again. */
        untilTaken: (what: string, holds: () => boolean) =>
          until(what, () => {
            clock.pass(LOOK_EVERY_MS)
            return holds()
          }),
        there: (inside = '.') => readdirSync(join(folder, inside)).toSorted(),
        animals: async () => {
          let names: string[] = []
          for await (const pets of store.pets.export())
            names = [...names, ...pets.map(({ name, status }) => `${name} ${status}`)]
          return names
        },
        close: async () => {
          for (const one of taking) await one.close()
          for (const one of stores) await one.close()
        },
      }
    }

    it('takes a whole list as the settings say, and refuses it with reasons where either is wrong', () =>
      withLists(1, async ({ put, untilTaken, taking: [lists], there, animals, store, folder, log }) => {
        assert(lists)
        const wrong = [
          ['', /^The settings of the lists cannot be read \(ENOENT.+such as ref = Animal ID\.$/m],
          ['map = name=Pet\n', /^sync\.conf does not name the column of the references: ref = Animal ID\.$/m],
          [`${SETTINGS}most = 7\n`, /^Line 5 of sync\.conf: most is wrong\. It must be a share from 0% to 100%\.$/m],
          [`${SETTINGS}fate = sold\n`, /^Line 5 of sync\.conf should be NAME = VALUE; the names are ref, map, missing, adopt, new-categories, most, not "fate"\.$/m],
          [`${SETTINGS}map = @nothing\n`, /^There is no mapping @nothing; there are @asm3/m],
          [SETTINGS, /^Line 2: categoryId: "dog" is not a whole number, and no category[\s\S]+^Nothing was changed: 1 bad row\./m],
        ] as const // biome-ignore format: a line each
        for (const [index, [settings, reason]] of wrong.entries()) {
          if (settings !== '') put('sync.conf', settings)
          put(`${index}.csv`, `${HEADER}A1,Rex,dog,here\n`)
          await untilTaken('it is refused', () => lists.refused === index + 1)
          const report = there('failed').find((name) => name.endsWith(`${index}.csv.txt`)) ?? ''
          await until('the reasons are there', () => reason.test(readFileSync(join(folder, 'failed', report), 'utf8')))
        }
        put('sync.conf', `${SETTINGS}new-categories = yes\n`)
        put('list.csv', `${HEADER}A1,Rex,1,here\nA2,Mia,Cat,sold\n`)
        await untilTaken('it is done', () => lists.done === 1)
        assert.deepEqual(await animals(), ['Rex available', 'Mia sold'])
        assert.deepEqual(await store.categories.names(), new Map([[2n, 'Cat']]))
        put('sync.conf', `${SETTINGS}missing = remove\n`)
        put('much.csv', `${HEADER}A1,Rex,1,here\n`)
        await untilTaken('it is too much', () => lists.refused === wrong.length + 1)
        assert.match(log(), /1 of 2 animals would change or go, more than 10%.+as most = 100%\./)
        put('sync.conf', `${SETTINGS}missing = remove\nmost = 50%\n`)
        put('list.csv', `${HEADER}A1,Rex,1,here\n`)
        await untilTaken('it is taken', () => lists.done === 2)
        assert.deepEqual(await animals(), ['Rex available'])
        assert.deepEqual(there(), ['done', 'failed', 'sync.conf'])
        assert.match(
          log(),
          /"list":"list\.csv","msg":"a list was synced: 1 row: 1 removed\. `pets imports undo 2` undoes this\."/,
        )
      }))

    it('that ends in the middle of a list has done all of it or nothing, and the next one takes it', () =>
      withLists(1, async ({ put, untilTaken, taking, there, animals, restart }) => {
        put('sync.conf', SETTINGS)
        put('list.csv', HEADER + Array.from({ length: 3_000 }, (_, n) => `A${n},Rex,1,here\n`).join(''))
        for (let n = 0; n < 3; n += 1) await untilTaken('it has looked', () => true)
        await restart()
        const { length } = await animals()
        assert(length === 0 || length === 3_000, `${length} animals`)
        await untilTaken('it is taken', () => there('done').length === 1)
        assert.equal((await animals()).length, 3_000)
        assert.equal(taking.length, 1)
      }))

    if (engine.name !== 'SQLite') {
      it('takes no list twice, however many nodes look at the folder', () =>
        withLists(3, async ({ put, untilTaken, taking, there, store }) => {
          put('sync.conf', SETTINGS)
          for (let n = 0; n < 4; n += 1) put(`${n}.csv`, `${HEADER}A${n},Rex,${n},here\n`)
          await untilTaken('all are taken', () => there('done').length === 4)
          await until('all are told', () => taking.reduce((sum, { done }) => sum + done, 0) === 4)
          assert.equal((await store.imports.list(10)).length, 4)
          assert.deepEqual(there('failed'), [])
        }))
    }
  },
)
