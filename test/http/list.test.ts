/** GET /pets: which animals it lists, in which order, and how it reads its query. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { assertWhole, message } from '../support/http.ts'

describe('listPets', () => {
  let app: TestApp
  let key: string
  const list = (query = '') => app.call({ path: `/v1/pets${query}`, key })
  const ids = async (query = '') => {
    const answer = await list(query)
    assertWhole(answer, 200)
    return (JSON.parse(answer.body) as { id: number }[]).map(({ id }) => id)
  }

  before(async () => {
    app = await startApp({ writesApart: true })
    key = await app.issue()
    const statuses = ['available', 'pending', 'sold', undefined] as const
    for (let i = 1; i <= 120; i += 1) {
      const status = statuses[i % 4]
      await app.store.pets.create({ name: `animal ${i}`, categoryId: BigInt(i), ...(status && { status }) })
    }
  })
  after(() => app[Symbol.asyncDispose]())

  it('answers a JSON array of Pets, twenty unless told otherwise (R1, R4, R7)', async () => {
    const answer = await list()
    assertWhole(answer, 200)
    assert.equal(answer.headers['content-type'], 'application/json')
    const pets = JSON.parse(answer.body) as object[]
    assert.equal(pets.length, 20)
    assert.deepEqual(pets[0], { id: 120, name: 'animal 120', categoryId: 120, status: 'available' })
  })

  it('lists the newest first (O5)', async () => {
    const all = await ids('?limit=100')
    assert.deepEqual(
      all,
      Array.from({ length: 100 }, (_, i) => 120 - i),
    )
  })

  it('takes every limit from 1 to 100 and gives at most that many (R7)', async () => {
    for (const limit of [1, 2, 19, 20, 21, 99, 100]) assert.equal((await ids(`?limit=${limit}`)).length, limit)
    assert.equal((await ids('?limit=100&status=sold')).length, 30)
  })

  it('filters by each status, and no filter matches an animal without one (R2, R8, O4)', async () => {
    const found = new Set<number>()
    for (const [status, rest] of [
      ['available', 0],
      ['pending', 1],
      ['sold', 2],
    ] as const) {
      const some = await ids(`?status=${status}&limit=100`)
      assert.equal(some.length, 30)
      for (const id of some) {
        assert.equal(id % 4, rest)
        found.add(id)
      }
    }
    assert.equal(found.size, 90, 'the thirty without a status are in no filtered list')
    assert((await ids('?limit=100')).includes(119), 'but in the one of all')
  })

  it('reports all problems of a query at once (O16)', async () => {
    const answer = await list('?limit=0&status=none')
    assert.match(message(answer), /limit: .*; status: /)
  })

  it('shows an animal in the very next list (R7, R9)', async () => {
    await ids('?limit=1')
    await ids('?limit=1&status=sold')
    const made = await app.call({ method: 'POST', key, body: '{"name":"new","categoryId":1,"status":"sold"}' })
    const { id } = JSON.parse(made.body) as { id: number }
    assert.deepEqual(await ids('?limit=1'), [id])
    assert.deepEqual(await ids('?limit=1&status=sold'), [id])
  })
})

describe('page links, the operator’s setting (O6)', () => {
  it('lead through all animals once, in order, the filter kept, and end', async () => {
    await using app = await startApp({ writesApart: true, pageLinks: true, publicUrl: 'https://pets.example/v1' })
    const key = await app.issue()
    for (let i = 1; i <= 25; i += 1) {
      await app.store.pets.create({ name: 'x', categoryId: 1n, status: i % 2 === 0 ? 'sold' : 'pending' })
    }
    for (const [first, expected] of [
      ['/v1/pets?limit=10', Array.from({ length: 25 }, (_, i) => 25 - i)],
      ['/v1/pets?limit=4&status=sold', Array.from({ length: 12 }, (_, i) => 24 - 2 * i)],
    ] as const) {
      const seen: number[] = []
      let path: string | undefined = first
      while (path !== undefined) {
        const answer = await app.call({ path, key })
        assertWhole(answer, 200)
        seen.push(...(JSON.parse(answer.body) as { id: number }[]).map(({ id }) => id))
        const link = answer.headers.link === undefined ? undefined : String(answer.headers.link)
        path =
          link === undefined ? undefined : /^<https:\/\/pets\.example(\/v1\/pets\?.*)>; rel="next"$/.exec(link)?.[1]
        assert.equal(path === undefined, link === undefined, 'the link follows --public-url')
      }
      assert.deepEqual(seen, expected)
    }
    const answer = await app.call({ path: '/v1/pets?cursor=MDc', key })
    assertWhole(answer, 400)
    assert.match(message(answer), /^cursor: /)
  })
})
