/**
 * The answers of the three operations, made from what a store returns: how a page leaves, where it goes on, and which
 * cursors and animals there are (R7 to R12, O6).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer } from '../../src/http/answer.ts'
import { PetsApi } from '../../src/http/pets.ts'
import type { PetPage, PetStore } from '../../src/store/store.ts'

const MAX_STRING = 65_536

type ListRequest = Parameters<PetStore['list']>[0]

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
    pets: pets as unknown as PetStore,
    listUrl: 'https://x/v1/pets',
    hasGetPet: () => hasGetPet,
    pageLinks,
  })
  const list = (query: string) => api.list(query) as Answer
  return { api, list, asked }
}

describe('a page of animals', () => {
  it('is asked for as its query says, the same also the second time and the thousandth', () => {
    const { list, asked } = over()
    const one = { limit: 7, status: 'sold', before: undefined }
    const rest = { limit: 20, status: undefined, before: undefined }
    for (const query of ['limit=7&status=sold', '', 'limit=7&status=sold', 'x=y']) list(query)
    assert.deepEqual(asked, [one, rest, one, rest])
    for (let n = 0; n < 2_500; n += 1) list(`limit=${(n % 100) + 1}&n=${n}`)
    list('limit=7&status=sold')
    assert.deepEqual(asked.at(-1), one)
    assert.deepEqual(asked.at(-2), { ...rest, limit: 100 })
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

  it('says where it goes on only if page links are asked for and there is more (O6)', () => {
    const more = { json: '[]', nextBefore: '42' }
    assert.deepEqual(over({ page: more }).list('limit=3').headers, [])
    assert.deepEqual(over({ pageLinks: true }).list('limit=3').headers, [])
    const { list } = over({ page: more, pageLinks: true })
    assert.deepEqual(list('limit=3&status=sold').headers, [
      'Link',
      '<https://x/v1/pets?limit=3&status=sold&cursor=NDI>; rel="next"',
    ])
    assert.deepEqual(over({ page: more, pageLinks: true }).list('').headers, [
      'Link',
      '<https://x/v1/pets?limit=20&cursor=NDI>; rel="next"',
    ])
  })

  it('begins behind a cursor where there are page links, and otherwise ignores it (O6)', () => {
    const linked = over({ pageLinks: true })
    assert.equal(linked.list('cursor=NDI').status, 200)
    assert.equal(linked.asked.at(-1)?.before, 42n)
    const refused = linked.list('cursor=NDJ')
    assert.equal(refused.status, 400)
    assert.match(String(refused.body), /cursor: is not a cursor of this service\./)
    assert.equal(linked.asked.length, 1)
    const plain = over()
    assert.equal(plain.list('cursor=NDJ').status, 200)
    assert.equal(plain.asked.at(-1)?.before, undefined)
  })

  it('is not asked for if the query is wrong; each problem is told (R6, R8)', () => {
    const { list, asked } = over()
    const { status, body } = list('limit=0&status=lost')
    assert.equal(status, 400)
    const { message } = JSON.parse(String(body)) as { message: string }
    assert.match(message, /limit.*; status.*[^.]\.$/)
    assert.deepEqual(asked, [])
  })
})

describe('one animal', () => {
  it('is found by an int64 alone, and is 404 otherwise (R11, O18)', () => {
    const { api } = over()
    assert.deepEqual([(api.get('5') as Answer).status, (api.get('5') as Answer).body], [200, '{"id":5}'])
    for (const id of ['6', '05', 'x', '']) assert.equal((api.get(id) as Answer).status, 404)
  })

  it('that was created has a Location as long as it has a path (R9, R12, O21)', () => {
    const body = Buffer.from('{"name":"x","categoryId":1}')
    const made = over().api.create(body, undefined) as Answer
    assert.deepEqual([made.status, made.body, made.headers], [201, '{"id":5}', ['Location', 'https://x/v1/pets/5']])
    assert.deepEqual((over({ hasGetPet: false }).api.create(body, undefined) as Answer).headers, [])
  })

  it('is not created from what is no JSON in UTF-8, and is told what is wrong with it (R6, R10)', () => {
    for (const [body, problem] of [
      [Buffer.from([0x22, 0xff, 0x22]), 'the body must be JSON in UTF-8.'],
      [Buffer.from('\uFEFF{}'), 'the body must be JSON, which has no byte order mark.'],
      [Buffer.from('{"é":1,}'), 'the body must be JSON, and is not from character 8 on.'],
      [Buffer.from('{'), 'the body must be JSON, and ends before it is whole.'],
      [Buffer.from(' '), 'the body must be JSON, and is empty.'],
    ] as const) {
      const { status, body: told } = over().api.create(body, undefined) as Answer
      assert.equal(status, 400)
      assert.equal((JSON.parse(String(told)) as { message: string }).message, problem)
    }
  })
})
