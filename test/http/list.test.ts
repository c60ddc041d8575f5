/** The page links of GET /pets; which animals it lists, and how it reads its query, is test/forms. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { filterKey, matches } from '../../src/contract/pet-filter.ts'
import type { NewPet } from '../../src/contract/schemas.ts'
import { startKeyed } from '../support/app.ts'
import { assertWhole, message } from '../support/http.ts'
import { FILTERS_TOGETHER } from '../support/store.ts'

it('page links lead through all filtered animals once, in order (O6)', async () => {
  await using app = await startKeyed({ writesApart: true, pageLinks: true, publicUrl: 'https://pets.example/v1' })
  const pets = Array.from({ length: 25 }, (_, n) => {
    return { categoryId: 1n, ...FILTERS_TOGETHER[n % FILTERS_TOGETHER.length] } as NewPet
  })
  for (const pet of pets) await app.store.pets.create({ ...pet, name: 'x' })
  for (const filter of FILTERS_TOGETHER) {
    const expected = pets.flatMap((pet, n) => (matches(filter, pet) ? [n + 1] : [])).toReversed()
    const seen: number[] = []
    let path: string | undefined = `/v1/pets?${filterKey(filter)}limit=4`
    while (path !== undefined) {
      const answer = await app.call({ path, key: app.key })
      assertWhole(answer, 200)
      seen.push(...(JSON.parse(answer.body) as { id: number }[]).map(({ id }) => id))
      const link = answer.headers.link === undefined ? undefined : String(answer.headers.link)
      path = link === undefined ? undefined : /^<https:\/\/pets\.example(\/v1\/pets\?.*)>; rel="next"$/.exec(link)?.[1]
      assert.equal(path === undefined, link === undefined, 'the link follows --public-url')
    }
    assert.deepEqual(seen, expected, filterKey(filter))
  }
  const answer = await app.call({ path: '/v1/pets?cursor=MDc', key: app.key })
  assertWhole(answer, 400)
  assert.match(message(answer), /^cursor: /)
})
