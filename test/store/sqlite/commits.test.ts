/** How creates share commits in SQLite, so that the disk is synced once per commit and not once per animal. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '../../../src/common/system-clock.ts'
import type { NewPet } from '../../../src/contract/schemas.ts'
import { openSqlite, type SqliteStore } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../support/folder.ts'

const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }
let store: SqliteStore

before(async () => {
  store = await openSqlite(join(temporaryFolder(), 'pets.db'), { serving: true, clock: systemClock })
})
after(() => store.close())

/** Commits that creating `work`'s animals took. */
async function commitsOf(work: () => Promise<unknown>): Promise<number> {
  const before = store.commits.count
  await work()
  return store.commits.count - before
}

it('creates that arrive in the same turn of the event loop share one commit', async () => {
  assert.equal(await commitsOf(() => Promise.all([rex, rex, rex].map((pet) => store.pets.create(pet)))), 1)
})

it('creates of turns that follow one another share one commit', async () => {
  // Not every time: on a busy machine a turn may take longer than a create waits for others.
  for (let attempt = 0; attempt < 20; attempt++) {
    const commits = await commitsOf(async () => {
      const first = store.pets.create(rex)
      await nextTurn()
      await Promise.all([first, store.pets.create(rex)])
    })
    if (commits === 1) return
  }
  assert.fail('Twenty times the second create came a turn later and had a commit of its own.')
})

it('while other events keep arriving, creates are gathered for some milliseconds', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // Each bounces one byte, so that every turn of the event loop has an event.
  const busy = Array.from({ length: 16 }, () => connect(port, '127.0.0.1'))
  for (const socket of busy) socket.on('data', (byte) => socket.write(byte)).write('x')
  const creates: Promise<unknown>[] = []
  let spentMs = 0
  const commits = await commitsOf(async () => {
    const startMs = performance.now()
    while (creates.length < 500) {
      creates.push(store.pets.create(rex))
      await nextTurn()
    }
    spentMs = performance.now() - startMs
    for (const socket of busy) socket.destroy()
    await Promise.all(creates)
  })
  server.close()
  await once(server, 'close')
  // One for about every ten milliseconds, and the last.
  assert(commits <= 2 + spentMs / 5, `${commits} commits in ${spentMs} ms`)
})

it('a create is acknowledged by the commit that it shares, while others keep arriving', async () => {
  let acknowledged = false
  const first = store.pets.create(rex).then(() => {
    acknowledged = true
  })
  const others: unknown[] = []
  while (!acknowledged) {
    others.push(store.pets.create(rex))
    await nextTurn()
  }
  await Promise.all([first, ...others])
})
