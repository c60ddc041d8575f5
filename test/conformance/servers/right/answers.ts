/**
 * Answers that are another's right where the interface leaves them open (O numbers), and those that are only
 * suspicious. What does not meet is done by one server, and each difference is told.
 */
import {
  aList,
  bodies,
  both,
  creates,
  fate,
  instead,
  method,
  path,
  query,
  refusing,
  replies,
  selects,
  showsText,
  status,
  together,
  withBody,
  withHeader,
  withStatus,
} from '../mutate.ts'
import { type Behaviour, CORRECT, error, json } from '../reference.ts'
import { type Right, right } from './right.ts'

/** Lists that show an animal only so long after it was created. */
function lagging(ms: number): () => Partial<Behaviour> {
  return () => {
    const seenMs = new Map<bigint, number>()
    return selects((pets, asked, nowMs) => {
      for (const { id } of pets) if (!seenMs.has(id)) seenMs.set(id, nowMs)
      const seen = pets.filter(({ id }) => nowMs - (seenMs.get(id) ?? 0) >= ms)
      return CORRECT.select(seen, asked, nowMs)
    })
  }
}

const ordered = (compare: (a: Sorted, b: Sorted) => number): Partial<Behaviour> =>
  selects((pets, { status, limit }) =>
    pets
      .filter((pet) => status === undefined || pet.status === status)
      .sort(compare)
      .slice(0, limit),
  )
type Sorted = Parameters<Behaviour['select']>[0][number]

const toPost: typeof aList = (_reply, incoming) => incoming?.method === 'POST'
const asked = (name: string, value: RegExp): typeof aList => {
  return (_reply, incoming) => value.test(incoming?.query.get(name) ?? '')
}

export const RIGHT_ANSWERS: readonly Right[] = right([
  ['the reference', {}],
  [
    'a status given to animals created without one',
    creates((pet) => ({ status: 'available', ...pet })),
    { 'create-without-status': /status available is returned/ },
  ],
  [
    'pending for animals created without a status',
    creates((pet) => ({ status: 'pending', ...pet })),
    { 'create-without-status': /status pending/ },
  ],
  [
    'an id of the client ignored, a byte order mark accepted, control characters made spaces',
    {
      readNewPet: (text, incoming) => {
        const read = CORRECT.readNewPet(text.replace(/"id":\d+,|^\uFEFF/, ''), incoming)
        return 'value' in read ? { value: { ...read.value, name: read.value.name.replace(/[\t\n]/g, ' ') } } : read
      },
    },
    {
      'id-not-adopted': /another id assigned/,
      'create-byte-order-mark': /accepted/,
      'create-name-controls': /comes back changed/,
    },
  ],
  [
    'all refused that may be: members, names, numbers',
    refusing(/colour|"name":"(?:\d*|null)"|\\[tn]|7\.0|7e0|"categoryId":7,"categoryId":8|"categoryId":(?:0|-|\d{11})/),
    {
      'create-with-unknown-field': /refused/,
      'create-name-digits': /refused/,
      'create-name-null': /refused/,
      'create-name-empty': /refused/,
      'create-name-controls': /refused/,
      'create-category-point-zero': /refused/,
      'create-category-exponent': /refused/,
      'create-field-twice': /refused/,
      'int64-zero': /refused/,
      'int64-smallest': /refused/,
    },
  ],
  [
    'names refused that are long, or hold more than letters of any script, digits and spaces',
    refusing(/"name":"(?:(?:[^"\\]|\\.){21,}"|[^"]*[^\p{L}\p{N}" -][^"]*")/u),
    { 'create-name-long': /refused/, 'create-name-markup': /refused/ },
  ],
  ['other categories than 1 refused', refusing(/"categoryId":(?!\s*1\s*[,}])/), { 'int64-largest': /refused/ }],
  [
    'unknown fields returned',
    showsText((text, { body }) => (body.includes('colour') ? text.replace('}', ',"colour":"red"}') : text)),
  ],
  [
    'more fields than the interface has, in another order and with white space',
    showsText((text) => {
      const members = text.slice(1, -1).split(/,(?="categoryId")/)
      return `{ "tags":[], ${members.reverse().join(',\n')} ,"createdAt":"2027-01-15" }`
    }),
  ],
  ['oldest first', ordered((a, b) => Number(a.id - b.id)), { order: /rising id/ }],
  ['by name', ordered((a, b) => (a.name < b.name ? -1 : 1)), { order: /something else/ }],
  ['in no order', ordered((a, b) => Number(((a.id * 7919n) % 101n) - ((b.id * 7919n) % 101n)))],
  [
    'invalid parameters brought into range or ignored',
    query((params) => {
      if (params.getAll('limit').length > 1) params.set('limit', '2')
      if (params.get('limit') === '101') params.set('limit', '100')
      if (/^(?:0|many|-1|)$/.test(params.get('limit') ?? 'x')) params.delete('limit')
      if (params.get('status') === 'lost') params.delete('status')
    }),
    {
      'limit-101': /: 200, with 100 animals/,
      'limit-word': /200, with 20/,
      'limit-twice': /2 animals/,
      'status-unknown': /200/,
    },
  ],
  [
    '422 to an invalid limit, nothing found by an unknown status, and unknown parameters refused',
    together(
      replies(both(status(400), asked('limit', /./)), instead(error(422, 'limit'))),
      replies(both(status(400), asked('status', /^lost$/)), instead(json(200, '[]'))),
      replies(asked('colour', /./), instead(error(400, 'colour'))),
    ),
    { 'limit-0': /422/, 'status-unknown': /0 animals/, 'query-unknown': /400/ },
  ],
  [
    '400 to an id that is no number, and ids read that are written otherwise',
    together(
      { find: (pets, id) => CORRECT.find(pets, id.replace(/^0+(?=\d)/, '').replace(/%3(\d)/g, '$1')) },
      replies(both(status(404), path(/pets\/(?!-?\d+$)/)), instead(error(400, 'id'))),
    ),
    { 'get-word': /400/, 'get-leading-zero': /GET/, 'get-percent-encoded': /200/ },
  ],
  [
    'more headers, and more and other members of Errors',
    together(
      replies(aList, withHeader('X-Total-Count', '7')),
      replies(status(201), withHeader('Location', '/v1/pets/1')),
      replies(status(401), withHeader('WWW-Authenticate', 'Bearer')),
      bodies(
        (reply) => reply.status >= 400,
        (body) => body.replace(/"code":"\w*"/, '"code":"E17"').replace(/\}$/, ',"trace":"abc"}'),
      ),
    ),
    { paging: /X-Total-Count: 7/, 'create-location': /Location: /, 'error-codes': /E17/, 'auth-challenge': /Bearer/ },
  ],
  ['a link to the next page', replies(aList, withHeader('Link', '</v1/pets?after=1>; rel="next"')), { paging: /Link/ }],
  [
    'APPLICATION/JSON; charset=utf-8',
    replies(() => true, withHeader('Content-Type', 'APPLICATION/JSON; charset=utf-8')),
  ],
  [
    'statuses of its own for what is not of the interface',
    together(
      { whose: (sent, incoming) => CORRECT.whose(sent?.replace(/^bearer /, 'Bearer '), incoming) },
      replies(
        both(toPost, (_, incoming) => (incoming?.body.length ?? 0) > 9_000),
        withStatus(413),
      ),
      replies(
        (_, incoming) =>
          incoming?.method === 'POST' && !/^application\/json$/i.test(`${incoming.headers['content-type']}`),
        instead(error(415, 'JSON')),
      ),
      replies((_, incoming) => incoming?.headers['transfer-encoding'] !== undefined, instead(error(411, 'length'))),
      replies(path(/no-such-path/), instead(error(404, 'path'))),
      replies(both(status(401), asked('limit', /^0$/)), instead(error(400, 'limit'))),
      replies(path(/orders/), instead(json(200, '[]'))),
      replies(status(405), instead(error(501, 'method'))),
      replies(method('HEAD'), withStatus(405)),
      replies(method('OPTIONS'), (reply) =>
        withHeader('Access-Control-Allow-Origin', '*')(withStatus(204)(withBody('')(reply))),
      ),
      fate('reset', ({ path }) => path.length > 6_000),
    ),
    {
      'auth-scheme-lower-case': /200/,
      'create-name-long': /413/,
      'create-text-plain': /415/,
      'create-chunked': /411/,
      'auth-before-path': /404/,
      'auth-list-invalid-without-key': /400/,
      'store-orders': /200/,
      'delete-list': /501/,
      head: /405/,
      preflight: /204.*Access-Control-Allow-Origin: \*/,
      'path-long': /no answer came/,
    },
  ],
  ['lists a second behind', lagging(1_000), { 'list-shows-created': /behind what was created/ }],
  ['lists three seconds behind', lagging(3_000), { 'list-shows-created': /behind what was created/ }],
  [
    'ids that are random',
    { newId: (pets) => ((BigInt(pets.length) + 1n) * 0x9e3779b97f4a7c15n) & 0x7fffffffffffffffn },
  ],
  ['ids that are negative', { newId: (pets) => -BigInt(pets.length) - 1n }],
  ['ids from the far end of 64 bits', { newId: (pets) => 9_223_372_036_854_000_000n + BigInt(pets.length) }],
])
