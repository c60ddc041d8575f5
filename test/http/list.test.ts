/** The page links of GET /pets; which animals it lists, and how it reads its query, is test/forms. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startApp } from '../support/app.ts'
import { assertWhole, message } from '../support/http.ts'

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
