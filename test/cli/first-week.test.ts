/**
 * An operator's first week, on the real commands and processes, on a file and on PostgreSQL: exact state after every
 * step.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '../../src/common/system-clock.ts'
import type { PetStatus } from '../../src/contract/schemas.ts'
import { openStore } from '../../src/store/open.ts'
import { backUp } from '../../src/store/sqlite/upkeep/backup.ts'
import { restore } from '../../src/store/sqlite/upkeep/restore.ts'
import type { Store } from '../../src/store/store.ts'
import { authorAt } from '../support/author.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PLAIN_IMPORT } from '../support/imports.ts'
import { ENGINE_KINDS, onEachEngine } from '../support/on-each-engine.ts'
import { createdId, pets, startService } from '../support/service.ts'

/** As the old system wrote it: Windows-1252, semicolons, its own words, a row of nothing, one mistake. */
const MESSY = Buffer.from(
  'Animal Name;Type;State\r\nLuna;1; Available \r\nS\xf8ren;2;adopted\r\n;;\r\nBruno;2;pendng\r\nMimi;1;\r\n',
  'latin1',
)

onEachEngine(
  (name) => `the first week on ${name}`,
  (engine) => {
    let database: string
    const folder = temporaryFolder()
    const run = (...args: string[]) => pets([...args, '--database', database])
    const done = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(...args)
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
      return stdout
    }
    const animals = () => done('export', '--format', 'csv')
    const HEADER = 'id,name,categoryId,status\n'

    before(async () => {
      database = await engine.createDatabase()
    })

    it('goes as the messages say, and leaves exactly what was meant', async () => {
      // Monday: the old system's file, by what the messages say.
      const file = join(folder, 'old.csv')
      writeFileSync(file, MESSY)
      const map = ['--map', 'name=Animal Name,categoryId=Type,status=State']
      const first = await run('import', file, ...map)
      assert.equal(first.code, 1)
      assert.match(first.stderr, /Line 3: .*"adopted" is not one of/)
      assert.match(first.stderr, /Line 5: .*"pendng" is not one of .*the nearest is "pending"/)
      const second = await run('import', file, ...map, '--map', 'status:adopted=sold,status:pendng=pending')
      assert.deepEqual([second.code, second.stdout], [0, '4 animals imported.\n'], second.stderr)
      const monday = 'Luna,1,available\n2,Søren,2,sold\n3,Bruno,2,pending\n4,Mimi,1,\n'
      assert.equal(await animals(), `${HEADER}1,${monday}`)

      // Tuesday: the same file again by mistake; then meant, and taken back.
      const again = ['import', file, ...map, '--map', 'status:adopted=sold,status:pendng=pending']
      assert.match(
        (await run(...again)).stderr,
        /^4 of 4 look like animals that are already here; nothing was imported/m,
      )
      await done(...again, '--allow-duplicates')
      await done('edit', '6', '--name', 'Kept')
      assert.match(await done('imports', 'undo', '2'), /3 animals removed; 1 animal changed/)
      assert.equal(await animals(), `${HEADER}1,${monday}6,Kept,2,sold\n`)

      // Wednesday: sold by the list, corrected, removed, brought back.
      const sold = await pets(['set-status', 'sold', '-', '--database', database], { input: '1\n3\n4\n' })
      assert.equal(sold.stdout, '3 animals are sold; 3 of them changed.\n')
      await done('set-status', 'none', '4')
      await done('edit', '1', '--name', 'Luna II', '--category', '7')
      await done('remove', '3', '6')
      await done('restore-animal', '3')
      const wednesday = `${HEADER}1,Luna II,7,sold\n2,Søren,2,sold\n3,Bruno,2,sold\n4,Mimi,1,\n`
      assert.equal(await animals(), wednesday)
      assert.match(await done('find', 'soren'), /Søren/)

      // Thursday: the service runs; what it acknowledged survives a crash.
      const service = await startService({ database })
      const { key, id } = await service.issueKey()
      const created = [await createdId(service, key, 'Thursday 1'), await createdId(service, key, 'Thursday 2')]
      service.process.kill('SIGKILL')
      await service.stop()
      const thursday = wednesday + created.map((id, n) => `${id},Thursday ${n + 1},1,\n`).join('')
      assert.equal(await animals(), thursday)
      assert(
        created.every((id) => id > 8),
        'no id of a removed animal is given again',
      )

      // The journal knows all of it, newest first.
      const acts = (await done('journal', '--json'))
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { act: string }).act)
        .filter((act) => act !== 'export') // this test has exported after each day
      assert.deepEqual(acts, [
        'issue key',
        'restore',
        ...['remove', 'remove'],
        ...['edit', 'edit', 'edit', 'edit', 'edit'],
        'undo import',
        ...['edit', 'import', 'import'],
      ])
      assert.match(await done('journal', '--key', id), /issue key/)
      if (!database.startsWith('sqlite:')) return

      // Friday: a backup under load, a crash, and back to the backup.
      const friday = await startService({ database })
      let writing = true
      let made = 0
      const load = (async () => {
        for (; writing; made += 1) await createdId(friday, key, 'Load').catch(() => {})
      })()
      const backup = join(folder, 'friday.db')
      await done('backup', backup)
      friday.process.kill('SIGKILL')
      writing = false
      await Promise.all([load, friday.stop()])
      assert(made > 0)
      const backedUp = await pets(['export', '--format', 'csv', '--database', `sqlite:${backup}`])
      assert(backedUp.stdout.startsWith(thursday))
      await done('set-status', 'available', '2')
      await done('restore', backup)
      assert.equal(await animals(), backedUp.stdout)
      assert.match(await done('verify'), /^The database is sound/)
      await using saturday = await startService({ database })
      const next = await createdId(saturday, key, 'Saturday')
      assert.equal(await animals(), `${backedUp.stdout}${next},Saturday,1,\n`)
    })
  },
)

interface Animal {
  readonly name: string
  readonly status: PetStatus | undefined
}

/** All that the commands can leave behind, as plain maps. */
interface Model {
  readonly live: Map<bigint, Animal>
  readonly removed: Map<bigint, Animal>
  /** Animals that somebody has changed, removed or restored: undoing an import leaves them. */
  readonly touched: Set<bigint>
  readonly imports: Map<bigint, readonly bigint[]>
  lastId: bigint
}

const ACTS = ['import', 'create', 'edit', 'set-status', 'remove', 'restore', 'undo', 'backup', 'go back'] as const

describe('a plain model', () => {
  for (const engine of ENGINE_KINDS) {
    it(`holds what ${engine.name} holds, whatever is done in whatever order`, { ...engine.needed }, async (t) => {
      const running = await engine.start()
      t.after(() => running.stop())
      const acts = fc.array(fc.record({ act: fc.constantFrom(...ACTS), nth: fc.nat(99) }), {
        minLength: 20,
        maxLength: 30,
      })
      await fc.assert(
        fc.asyncProperty(acts, async (acts) => {
          await new Run(await running.createDatabase()).all(acts)
        }),
        { numRuns: 12 },
      )
    })
  }
})

class Run {
  readonly #database: string
  readonly #folder = temporaryFolder()
  #model: Model = { live: new Map(), removed: new Map(), touched: new Set(), imports: new Map(), lastId: 0n }
  #saved: { readonly file: string; readonly model: Model } | undefined
  #steps = 0

  constructor(database: string) {
    this.#database = database
    mkdirSync(this.#folder, { recursive: true })
  }

  async all(acts: readonly { readonly act: (typeof ACTS)[number]; readonly nth: number }[]): Promise<void> {
    for (const { act, nth } of acts) {
      this.#steps += 1
      if (act === 'backup' || act === 'go back') await this.#saveOrGoBack(act)
      else await this.#withStore((store) => this.#do(store, act, nth))
    }
    await this.#withStore((store) => this.#compare(store))
  }

  async #withStore(work: (store: Store) => Promise<void>): Promise<void> {
    const store = await openStore(this.#database, { serving: false, clock: systemClock })
    try {
      await work(store)
    } finally {
      await store.close()
    }
  }

  async #saveOrGoBack(act: 'backup' | 'go back'): Promise<void> {
    if (!this.#database.startsWith('sqlite:')) return
    const path = this.#database.slice('sqlite:'.length)
    if (act === 'backup') {
      await this.#withStore(async () => {}) // makes the file
      const file = join(this.#folder, `${this.#steps}.db`)
      await backUp(path, file, { clock: systemClock })
      this.#saved = { file, model: structuredClone(this.#model) }
    } else if (this.#saved !== undefined) {
      await restore(this.#saved.file, path, { clock: systemClock, onReturning: () => {} })
      this.#model = structuredClone(this.#saved.model)
      await this.#withStore((store) => this.#compare(store))
    }
  }

  async #do(store: Store, act: Exclude<(typeof ACTS)[number], 'backup' | 'go back'>, nth: number): Promise<void> {
    const { live, removed, touched, imports } = this.#model
    const by = authorAt(this.#steps)
    const pick = <T>(from: Map<bigint, T>) => [...from.keys()][nth % Math.max(1, from.size)]
    const name = `${act} ${nth}`
    if (act === 'create') {
      const { id } = await store.pets.create({ name, categoryId: 1n })
      assert(id > this.#model.lastId)
      live.set(id, { name, status: undefined })
      this.#model.lastId = id
    } else if (act === 'import') {
      const batch = Array.from({ length: (nth % 5) + 1 }, () => ({ name, categoryId: 1n, status: 'pending' as const }))
      const batches = (async function* () {
        yield batch
      })()
      const { n } = await store.imports.add(batches, { ...PLAIN_IMPORT, by })
      const rows = []
      for await (const some of store.pets.export(this.#model.lastId)) rows.push(...some)
      const ids = rows.map(({ id }) => BigInt(id))
      assert.equal(ids.length, batch.length)
      for (const id of ids) live.set(id, { name, status: 'pending' })
      imports.set(n ?? 0n, ids)
      this.#model.lastId = ids.at(-1) ?? this.#model.lastId
    } else if (act === 'undo') {
      const n = pick(imports)
      if (n === undefined) return
      const undone = (imports.get(n) ?? []).filter((id) => live.has(id) && !touched.has(id))
      assert.equal((await store.imports.undo(n, by))?.removed, undone.length)
      imports.delete(n)
      for (const id of undone) this.#move(id, live, removed)
    } else if (act === 'restore') {
      const id = pick(removed)
      if (id === undefined) return
      assert.equal((await store.records.restore([id], by)).changed, 1)
      this.#move(id, removed, live)
      touched.add(id)
    } else {
      const id = pick(live)
      const pet = id === undefined ? undefined : live.get(id)
      if (id === undefined || pet === undefined) return
      touched.add(id)
      if (act === 'remove') {
        await store.records.remove([id], by)
        this.#move(id, live, removed)
      } else {
        const changes = act === 'edit' ? { name: `${name} ${this.#steps}` } : { status: 'sold' as const }
        const { changed } = await store.records.change([id], changes, by)
        assert.equal(changed, act === 'edit' || pet.status !== 'sold' ? 1 : 0)
        live.set(id, { ...pet, ...changes })
      }
    }
  }

  #move(id: bigint, from: Map<bigint, Animal>, to: Map<bigint, Animal>): void {
    const pet = from.get(id)
    assert(pet !== undefined)
    from.delete(id)
    to.set(id, pet)
  }

  async #compare(store: Store): Promise<void> {
    const { live, removed } = this.#model
    const there = new Map<bigint, Animal>()
    for await (const rows of store.pets.export()) {
      for (const { id, name, status } of rows) there.set(BigInt(id), { name, status })
    }
    assert.deepEqual(there, new Map([...live].sort(([a], [b]) => Number(a - b))))
    for (const [id, { name }] of removed) {
      const record = await store.records.get(id)
      assert.equal(record?.name, name)
      assert(record?.removedAtMs !== undefined)
    }
    const counts = { available: 0, pending: 0, sold: 0, none: 0 }
    for (const { status } of live.values()) counts[status ?? 'none'] += 1
    assert.deepEqual(await store.pets.count(), counts)
  }
}
