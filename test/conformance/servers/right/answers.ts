/**
 * Answers that are another's right where the interface leaves them open (O numbers), and those that are only
 * suspicious.
 */

import {
  aList,
  both,
  creates,
  fate,
  instead,
  method,
  path,
  query,
  reading,
  refusing,
  replies,
  selects,
  showsText,
  status,
  withBody,
  withHeader,
  withStatus,
} from '../mutate.ts'
import { type Behaviour, CORRECT, error, json } from '../reference.ts'
import { type Right, right } from './right.ts'

const idIgnored: Partial<Behaviour> = {
  readNewPet: (text, incoming) => CORRECT.readNewPet(text.replace(/"id":\d+,/, ''), incoming),
}

/** Lists that show an animal only so long after it was created. */
function lagging(ms: number): () => Partial<Behaviour> {
  return () => {
    const seenMs = new Map<bigint, number>()
    return selects((pets, asked, nowMs) => {
      for (const { id } of pets) if (!seenMs.has(id)) seenMs.set(id, nowMs)
      return CORRECT.select(
        pets.filter(({ id }) => nowMs - (seenMs.get(id) ?? 0) >= ms),
        asked,
        nowMs,
      )
    })
  }
}

export const RIGHT_ANSWERS: readonly Right[] = [
  right('the reference', {}),
  right(
    'a status given to animals created without one',
    creates((pet) => ({ status: 'available', ...pet })),
    ['create-without-status', /status available is returned/],
  ),
  right(
    'pending for animals created without a status',
    creates((pet) => ({ status: 'pending', ...pet })),
    ['create-without-status', /status pending/],
  ),
  right('an id of the client ignored', idIgnored, ['id-not-adopted', /another id assigned/]),
  right('unknown fields refused', refusing(/colour/), ['create-with-unknown-field', /refused/]),
  right(
    'unknown fields returned',
    showsText((text, { body }) => (body.includes('colour') ? text.replace('}', ',"colour":"red"}') : text)),
  ),
  right(
    'more fields than the interface has',
    showsText((text) => text.replace(/\}$/, ',"createdAt":"2027-01-15","tags":[]}')),
  ),
  right(
    'fields in another order',
    showsText((text) =>
      JSON.stringify({ z: 0 })
        .replace(
          '"z":0',
          text
            .slice(1, -1)
            .split(/,(?="categoryId")/)
            .reverse()
            .join(','),
        )
        .replace(/^\{(.*)\}$/, '{$1}'),
    ),
  ),
  right(
    'white space in its JSON',
    replies(
      aList,
      withBody((body) => `\n ${body} \n`),
    ),
  ),
  right('other categories than 1 refused', refusing(/"categoryId":(?!\s*1\s*[,}])/), ['int64-largest', /refused/]),
  right('categories beyond 32 bits and below 0 refused', refusing(/"categoryId":(?:-|\d{11})/), [
    'int64-smallest',
    /refused/,
  ]),
  right('category 0 refused', refusing(/"categoryId":0/), ['int64-zero', /refused/]),
  right('names of more than 20 characters refused', refusing(/"name":"(?:[^"\\]|\\.){21,}"/u), [
    'create-name-long',
    /refused/,
  ]),
  right(
    '413 to a name of 10,000 letters',
    replies((_reply, incoming) => (incoming?.body.length ?? 0) > 9_000, withStatus(413)),
    ['create-name-long', /413/],
  ),
  right('names of letters of any script, digits and spaces only', refusing(/"name":"[^"]*[^\p{L}\p{N}" -][^"]*"/u), [
    'create-name-markup',
    /refused/,
  ]),
  right('names of digits refused', refusing(/"name":"\d+"/), ['create-name-digits', /refused/]),
  right('the name null refused', refusing(/"name":"null"/), ['create-name-null', /refused/]),
  right('empty names refused', refusing(/"name":""/), ['create-name-empty', /refused/]),
  right('control characters refused', refusing(/\\[tn]/), ['create-name-controls', /refused/]),
  right(
    'control characters made spaces',
    creates((pet) => ({ ...pet, name: pet.name.replace(/[\t\n]/g, ' ') })),
    ['create-name-controls', /comes back changed/],
  ),
  right('7.0 refused', refusing(/7\.0/), ['create-category-point-zero', /refused/]),
  right('7e0 refused', refusing(/7e0/), ['create-category-exponent', /refused/]),
  right('a field given twice refused', refusing(/"categoryId":7,"categoryId":8/), ['create-field-twice', /refused/]),
  right('a byte order mark accepted', reading(/^\uFEFF/, ''), ['create-byte-order-mark', /accepted/]),
  right(
    '415 to other media types',
    replies(
      (_reply, incoming) =>
        incoming?.method === 'POST' && !/^application\/json$/i.test(String(incoming.headers['content-type'])),
      instead(error(415, 'JSON')),
    ),
    ['create-text-plain', /415/],
  ),
  right(
    '411 to bodies in chunks',
    replies((_reply, incoming) => incoming?.headers['transfer-encoding'] !== undefined, instead(error(411, 'length'))),
    ['create-chunked', /411/],
  ),
  right(
    'oldest first',
    selects((pets, asked, now) => CORRECT.select([...pets].reverse(), asked, now)),
    ['order', /rising id/],
  ),
  right(
    'by name',
    selects((pets, asked) =>
      pets
        .filter((pet) => asked.status === undefined || pet.status === asked.status)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .slice(0, asked.limit),
    ),
    ['order', /something else/],
  ),
  right('in no order', () =>
    selects((pets, asked) =>
      pets
        .filter((pet) => asked.status === undefined || pet.status === asked.status)
        .sort((a, b) => Number(((a.id * 7919n) % 101n) - ((b.id * 7919n) % 101n)))
        .slice(0, asked.limit),
    ),
  ),
  right(
    'an invalid limit brought into range',
    query((params) => params.get('limit') === '101' && params.set('limit', '100')),
    ['limit-101', /: 200, with 100 animals/],
  ),
  right(
    'an invalid limit ignored',
    query((params) => /^(?:0|101|many|-1|)$/.test(params.get('limit') ?? 'x') && params.delete('limit')),
    ['limit-word', /200, with 20/],
  ),
  right(
    '422 to an invalid limit',
    replies((reply, incoming) => reply.status === 400 && incoming?.method === 'GET', instead(error(422, 'limit'))),
    ['limit-0', /422/],
  ),
  right(
    'an unknown status ignored',
    query((params) => params.get('status') === 'lost' && params.delete('status')),
    ['status-unknown', /200/],
  ),
  right(
    'an unknown status finds nothing',
    replies(
      (reply, incoming) => reply.status === 400 && incoming?.query.get('status') === 'lost',
      instead(json(200, '[]')),
    ),
    ['status-unknown', /0 animals/],
  ),
  right(
    'unknown parameters refused',
    replies((_reply, incoming) => incoming?.query.has('colour') === true, instead(error(400, 'colour'))),
    ['query-unknown', /400/],
  ),
  right(
    'the last of two limits taken',
    query((params) => params.getAll('limit').length > 1 && params.set('limit', '2')),
    ['limit-twice', /2 animals/],
  ),
  right('a total in a header', replies(aList, withHeader('X-Total-Count', '7')), ['paging', /X-Total-Count: 7/]),
  right('a link to the next page', replies(aList, withHeader('Link', '</v1/pets?after=1>; rel="next"')), [
    'paging',
    /Link/,
  ]),
  right(
    '400 to an id that is no number',
    replies(both(status(404), path(/pets\/(?!-?\d+$)/)), instead(error(400, 'id'))),
    ['get-word', /400/],
  ),
  right('a leading zero taken for none', { find: (pets, id) => CORRECT.find(pets, id.replace(/^0+(?=\d)/, '')) }, [
    'get-leading-zero',
    /GET/,
  ]),
  right('percent-encoded digits read', { find: (pets, id) => CORRECT.find(pets, id.replace(/%3(\d)/g, '$1')) }, [
    'get-percent-encoded',
    /200/,
  ]),
  right('a location on 201', replies(status(201), withHeader('Location', '/v1/pets/1')), [
    'create-location',
    /Location: /,
  ]),
  right(
    'other codes in its Errors',
    replies(
      (reply) => reply.status >= 400,
      withBody((body) => body.replace(/"code":"\w*"/, '"code":"E17"')),
    ),
    ['error-codes', /E17/],
  ),
  right(
    'more fields in its Errors',
    replies(
      (reply) => reply.status >= 400 && reply.body !== '',
      withBody((body) => body.replace(/\}$/, ',"trace":"abc"}')),
    ),
  ),
  right(
    'application/json; charset=utf-8',
    replies(() => true, withHeader('Content-Type', 'application/json; charset=utf-8')),
  ),
  right(
    'APPLICATION/JSON',
    replies(() => true, withHeader('Content-Type', 'APPLICATION/JSON')),
  ),
  right('401 that names no way in', replies(status(401), withHeader('WWW-Authenticate', 'Bearer')), [
    'auth-challenge',
    /Bearer/,
  ]),
  right(
    'bearer in lower case accepted',
    { whose: (sent, incoming) => CORRECT.whose(sent?.replace(/^bearer /, 'Bearer '), incoming) },
    ['auth-scheme-lower-case', /200/],
  ),
  right('404 before 401 for unknown paths', replies(path(/no-such-path/), instead(error(404, 'path'))), [
    'auth-before-path',
    /404/,
  ]),
  right(
    '400 before 401 for an invalid limit',
    replies(
      (reply, incoming) => reply.status === 401 && incoming?.query.get('limit') === '0',
      instead(error(400, 'limit')),
    ),
    ['auth-list-invalid-without-key', /400/],
  ),
  right('orders listed', replies(path(/orders/), instead(json(200, '[]'))), ['store-orders', /200/]),
  right(
    '501 to other methods',
    replies((reply) => reply.status === 405, instead(error(501, 'method'))),
    ['delete-list', /501/],
  ),
  right(
    'HEAD refused',
    replies(method('HEAD'), (reply) => ({ ...reply, status: 405 })),
    ['head', /405/],
  ),
  right(
    'preflights answered',
    replies(method('OPTIONS'), (reply) => ({
      ...reply,
      status: 204,
      body: '',
      headers: { ...reply.headers, 'Access-Control-Allow-Origin': '*' },
    })),
    ['preflight', /204.*Access-Control-Allow-Origin: \*/],
  ),
  right(
    'the connection closed by a path of 6,000 characters',
    fate('reset', ({ path }) => path.length > 6_000),
    ['path-long', /no answer came/],
  ),
  right('lists a second behind', lagging(1_000), ['list-shows-created', /behind what was created/]),
  right('lists three seconds behind', lagging(3_000), ['list-shows-created', /behind what was created/]),
  right('ids that are random', () => ({
    newId: (pets) => ((BigInt(pets.length) + 1n) * 0x9e3779b97f4a7c15n) & 0x7fffffffffffffffn,
  })),
  right('ids that are negative', { newId: (pets) => -BigInt(pets.length) - 1n }),
  right('ids from the far end of 64 bits', { newId: (pets) => 9_223_372_036_854_000_000n + BigInt(pets.length) }),
]
