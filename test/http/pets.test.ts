/** The pages of a list, made from what a store returns: how they are asked for, and how they leave (R7, R8). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PetsApi } from '../../src/http/pets.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import type { PetPage, Store } from '../../src/store/store.ts'

const MAX_STRING = 65_536

type ListRequest = Parameters<Store['pets']['list']>[0]

/** The list over a store that has one page, and what was asked of it. */
function over(json: PetPage['json'] = '[]') {
  const asked: ListRequest[] = []
  const page = { json, nextBefore: undefined }
  const list = (request: ListRequest) => {
    asked.push(request)
    return page
  }
  const store = { pets: { list } } as unknown as Store
  const api = new PetsApi({ store, listUrl: 'https://x/v1/pets', hasGetPet: () => true, pageLinks: false })
  return { list: (query: string) => api.listPets({ query }) as HttpResponse, asked }
}

describe('a page of animals', () => {
  it('is what its query asks for, also after a thousand other queries', () => {
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

  it('is text up to 65,536 units, and bytes beyond, which slow clients share', () => {
    const text = `["${'é'.repeat(MAX_STRING - 4)}"]`
    assert.equal(over(text).list('').body, text)
    const longer = `["${'é'.repeat(MAX_STRING - 3)}"]`
    const { body } = over(longer).list('')
    assert(body instanceof Uint8Array)
    assert.equal(Buffer.from(body).toString(), longer)
    const pieces = [Buffer.from('['), Buffer.from(']')]
    assert.equal(over(pieces).list('').body, pieces)
  })

  it('has one response as long as the store returns the same page', () => {
    const { list } = over()
    assert.equal(list(''), list('limit=20'))
    assert.notEqual(list(''), over().list(''))
  })
})
