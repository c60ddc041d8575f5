/**
 * The answers of the operations, made from what a store returns: how a page leaves, where it goes on, and which
 * cursors and animals there are (R7 to R12, O6).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PetsApi } from '../../src/http/pets.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import type { PetPage, Store } from '../../src/store/store.ts'

const MAX_STRING = 65_536

type ListRequest = Parameters<Store['pets']['list']>[0]

interface Shown {
  readonly page?: PetPage
  readonly pageLinks?: boolean
  readonly hasGetPet?: boolean
}

/** The operations over a store that has one page, and what was asked of it. */
function over({ page = { json: '[]', nextBefore: undefined }, pageLinks = false, hasGetPet = true }: Shown = {}) {
  const asked: ListRequest[] = []
  const pets = {
    list: (request: ListRequest) => {
      asked.push(request)
      return page
    },
    create: () => ({ id: '5', json: '{"id":5}' }),
    get: (id: bigint) => (id === 5n ? '{"id":5}' : undefined),
  }
  const api = new PetsApi({
    store: { pets } as unknown as Store,
    listUrl: 'https://x/v1/pets',
    hasGetPet: () => hasGetPet,
    pageLinks,
  })
  const list = (query: string) => api.listPets({ query }) as HttpResponse
  return { api, list, asked }
}

describe('a page of animals', () => {
  it('is asked for as its query says, the same also the second time and the thousandth', () => {
    const { list, asked } = over()
    const one = { limit: 7, status: 'sold', before: undefined }
    const rest = { limit: 20, status: undefined, before: undefined }
    for (const query of ['limit=7&status=sold', '', 'limit=7&status=sold', 'x=y']) list(query)
    assert.partialDeepStrictEqual(asked, [one, rest, one, rest])
    for (let n = 0; n < 2_500; n += 1) list(`limit=${(n % 100) + 1}&n=${n}`)
    list('limit=7&status=sold')
    assert.partialDeepStrictEqual(asked.at(-1), one)
    assert.partialDeepStrictEqual(asked.at(-2), { ...rest, limit: 100 })
  })

  it('leaves as text up to 65,536 units, and as bytes beyond, which a slow client holds no copy of', () => {
    const text = `["${'é'.repeat(MAX_STRING - 4)}"]`
    assert.equal(over({ page: { json: text, nextBefore: undefined } }).list('').body, text)
    const longer = `["${'é'.repeat(MAX_STRING - 3)}"]`
    const { body } = over({ page: { json: longer, nextBefore: undefined } }).list('')
    assert(body instanceof Uint8Array)
    assert.equal(Buffer.from(body).toString(), longer)
    const pieces = [Buffer.from('['), Buffer.from(']')]
    assert.equal(over({ page: { json: pieces, nextBefore: undefined } }).list('').body, pieces)
  })

  it('is the same answer as long as the store returns the same page', () => {
    const { list } = over()
    assert.equal(list(''), list('limit=20'))
    assert.notEqual(list(''), over().list(''))
  })
})
