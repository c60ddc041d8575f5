/**
 * Servers that are wrong about a valid creation: what it is answered, what comes back, what is kept (R3, R4, R5, R9).
 */
import { petJson } from '../../../../src/contract/json.ts'
import {
  both,
  creates,
  instead,
  keeps,
  method,
  reading,
  renames,
  replies,
  rounded,
  shows,
  showsText,
  status,
  type Wrong,
  withBody,
  withStatus,
  wrong,
} from '../mutate.ts'
import { type Behaviour, CORRECT, error } from '../reference.ts'

const is201 = status(201)
const reads = (incoming: { method: string }) => incoming.method !== 'POST'

export const CREATION_DEFECTS: readonly Wrong[] = [
  ...[200, 202, 204].map((code) =>
    wrong(`${code} to a creation`, replies(is201, withStatus(code)), 'create-available'),
  ),
  wrong('201 and an empty body', replies(is201, withBody('')), 'create-available'),
  wrong(
    '201 and only the id',
    replies(
      is201,
      withBody((body) => `{"id":${/\d+/.exec(body)?.[0]}}`),
    ),
    'create-available',
  ),
  wrong(
    '201 and the bare id',
    replies(
      is201,
      withBody((body) => /\d+/.exec(body)?.[0] ?? ''),
    ),
    'create-available',
  ),
  wrong(
    'the created animal inside an object',
    replies(
      is201,
      withBody((body) => `{"pet":${body}}`),
    ),
    'create-available',
  ),
  wrong(
    'the created animal in an array',
    replies(
      is201,
      withBody((body) => `[${body}]`),
    ),
    'create-available',
  ),
  wrong(
    '303 to the created animal',
    replies(is201, (reply) => ({ ...reply, status: 303, body: '' })),
    'create-available',
  ),
  wrong('500 to any creation', replies(is201, instead(error(500, 'oops'))), 'create-available'),
  wrong(
    '500 to creations without a status',
    {
      keep: (pet) => pet,
      finish: (reply, incoming) =>
        reply.status === 201 && incoming?.body.includes('"status"') === false
          ? { ...error(500, 'oops'), headers: { ...reply.headers } }
          : reply,
    },
    'create-without-status',
  ),
  wrong(
    'a status required',
    {
      readNewPet: (text, incoming) =>
        text.includes('"status"') ? CORRECT.readNewPet(text, incoming) : { problems: ['status'] },
    },
    'create-without-status',
  ),
  wrong(
    'every status made available',
    creates((pet) => ({ ...pet, status: 'available' })),
    'create-pending',
  ),
  wrong(
    'every new animal made pending',
    creates((pet) => ({ ...pet, status: 'pending' })),
    'create-available',
  ),
  wrong(
    'status ignored on creation',
    creates(({ name, categoryId }) => ({ name, categoryId })),
    'create-available',
  ),
  wrong(
    'sold made pending',
    creates((pet) => (pet.status === 'sold' ? { ...pet, status: 'pending' } : pet)),
    'create-sold',
  ),
  wrong('animals cannot be created sold', reading(/"status":"sold"/, '"status":0'), 'create-sold'),
  wrong('animals cannot be created pending', reading(/"status":"pending"/, '"status":0'), 'create-pending'),
  wrong(
    'status returned in upper case',
    showsText((text) => text.replace(/"status":"(\w+)"/, (_all, word: string) => `"status":"${word.toUpperCase()}"`)),
    'create-available',
  ),
  wrong(
    'status returned as a number',
    showsText((text) => text.replace(/"status":"\w+"/, '"status":1')),
    'create-available',
  ),
  wrong(
    '"status": null for animals without one',
    showsText((text) => text.replace(/(?<!"status":"\w+")\}$/, ',"status":null}')),
    'create-without-status',
  ),
  wrong(
    '"status": "" for animals without one',
    showsText((text) => text.replace(/(?<!"status":"\w+")\}$/, ',"status":""}')),
    'create-without-status',
  ),
  wrong(
    'unknown for the status of animals without one',
    showsText((text) => text.replace(/(?<!"status":"\w+")\}$/, ',"status":"unknown"}')),
    'create-without-status',
  ),
  wrong(
    'another category returned',
    shows((pet) => ({ ...pet, categoryId: pet.categoryId === 1n ? 2n : pet.categoryId })),
    'create-as-sent',
  ),
  wrong(
    'category and id exchanged',
    shows((pet) => ({ ...pet, id: pet.categoryId, categoryId: pet.id })),
    'ids-unique-created',
    'create-as-sent',
  ),
  wrong(
    'animals that are accepted and never stored',
    () => {
      let id = 0n
      return { newId: () => ++id, keep: () => undefined }
    },
    'list-shows-created',
  ),
  wrong(
    'equal animals merged, the same id',
    {
      newId: (pets, { body }) =>
        pets.find(
          ({ name, categoryId }) =>
            body ===
            CORRECT.show({ id: 0n, name, categoryId, status: 'available' }, {} as never).replace('"id":0,', ''),
        )?.id ?? BigInt(pets.length + 1),
      keep: (pet, pets) => (pets.some(({ id }) => id === pet.id) ? undefined : pet),
    },
    'create-equal',
  ),
  wrong(
    'equal animals merged in the store',
    {
      keep: (pet, pets) =>
        pets.some(({ name, status }) => name === pet.name && status === pet.status) ? undefined : pet,
      newId: () => nextId(),
    },
    'create-equal',
  ),
  wrong(
    'bodies in chunks read as empty',
    {
      readNewPet: (text, incoming) =>
        CORRECT.readNewPet(incoming.headers['transfer-encoding'] === undefined ? text : '', incoming),
    },
    'create-chunked',
  ),
  wrong(
    'only the first chunk of a body read',
    {
      readNewPet: (text, incoming) =>
        CORRECT.readNewPet(incoming.headers['transfer-encoding'] === undefined ? text : text.slice(0, 10), incoming),
    },
    'create-chunked',
  ),
  wrong(
    '500 to bodies in chunks',
    replies(
      both(method('POST'), (_reply, incoming) => incoming?.headers['transfer-encoding'] !== undefined),
      withStatus(500),
    ),
    'create-chunked',
  ),
]

let lastId = 0n
function nextId(): bigint {
  lastId += 1n
  return lastId
}

const NAMES: readonly (readonly [what: string, change: (name: string) => string, foundBy: string])[] = [
  ['trimmed', (name) => name.trim(), 'create-name-spaces'],
  ['with spaces made one', (name) => name.replace(/ +/g, ' '), 'create-name-spaces'],
  ['cut down to ASCII', (name) => name.replace(/[^ -~]/g, '?'), 'create-name-unicode'],
  ['stored in a code page', (name) => Buffer.from(name, 'latin1').toString('latin1'), 'create-name-unicode'],
  ['read as Latin-1', (name) => Buffer.from(name).toString('latin1'), 'create-name-unicode'],
  ['stripped of accents', (name) => name.normalize('NFD').replace(/\p{M}/gu, ''), 'create-name-unicode'],
  ['cut between surrogates', (name) => name.replace(/[\u{10000}-\u{10FFFF}]/gu, '\uFFFD'), 'create-name-unicode'],
  ['escaped for HTML', (name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;'), 'create-name-markup'],
  ['stripped of tags', (name) => name.replace(/<[^>]*>/g, ''), 'create-name-markup'],
  ['decoded as of a form', (name) => name.replaceAll('+', ' '), 'create-name-markup'],
  ['with quotes doubled', (name) => name.replaceAll("'", "''"), 'create-name-markup'],
  ['with percent signs encoded', (name) => name.replaceAll('%', '%25'), 'create-name-markup'],
  ['with backslashes dropped', (name) => name.replaceAll('\\', ''), 'create-name-quotes'],
  ['with double quotes made single', (name) => name.replaceAll('"', "'"), 'create-name-quotes'],
  ['cut at 255 characters', (name) => name.slice(0, 255), 'create-name-long'],
  ['cut at 4,096 characters', (name) => name.slice(0, 4096), 'create-name-long'],
  ['put in lower case', (name) => name.toLowerCase(), 'create-name-unicode'],
  ['given a capital', (name) => name.slice(0, 1).toUpperCase() + name.slice(1), 'create-as-sent'],
]

export const NAME_DEFECTS: readonly Wrong[] = [
  ...NAMES.map(([what, change, foundBy]) => wrong(`names ${what}`, renames(change), foundBy)),
  wrong(
    'names of digits returned as numbers',
    showsText((text) => text.replace(/"name":"(\d+)"/, '"name":$1')),
    'create-name-digits',
  ),
  wrong(
    'the name null returned as null',
    showsText((text) => text.replace('"name":"null"', '"name":null')),
    'create-name-null',
  ),
  wrong(
    'the name null taken for none',
    renames((name) => (name === 'null' ? '' : name)),
    'create-name-null',
  ),
  wrong(
    '500 to a name with a quote',
    replies((reply, incoming) => reply.status === 201 && incoming?.body.includes("'") === true, withStatus(500)),
    'create-name-markup',
  ),
  wrong(
    '500 to a name of 10,000 letters',
    replies((reply, incoming) => reply.status === 201 && (incoming?.body.length ?? 0) > 9_000, withStatus(500)),
    'create-name-long',
  ),
  wrong(
    'names trimmed on reading',
    shows((pet, incoming) => (reads(incoming) ? { ...pet, name: pet.name.trim() } : pet)),
    'list-shows-as-created',
  ),
  wrong(
    'names escaped for HTML on reading',
    shows((pet, incoming) => (reads(incoming) ? { ...pet, name: pet.name.replaceAll('<', '&lt;') } : pet)),
    'list-shows-as-created',
  ),
  wrong(
    'names kept in a code page',
    keeps((pet) => ({ ...pet, name: Buffer.from(pet.name).toString('latin1') })),
    'list-shows-as-created',
  ),
]

const text64 = (id: string, categoryId: string) => ({
  show: (pet: Parameters<Behaviour['show']>[0]) =>
    petJson(
      id === '' ? pet.id : id.replace('#', String(pet.id)),
      pet.name,
      categoryId === '' ? pet.categoryId : categoryId.replace('#', String(pet.categoryId)),
      pet.status,
    ),
})

export const INT64_DEFECTS: readonly Wrong[] = [
  wrong(
    'int64s rounded on their way out',
    { show: (pet) => petJson(pet.id, pet.name, String(Number(pet.categoryId)), pet.status) },
    'int64-above-double',
  ),
  wrong(
    'int64s rounded on their way in',
    creates((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) })),
    'int64-above-double',
  ),
  wrong(
    'int64s rounded where they are kept',
    keeps((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) })),
    'int64-listed',
  ),
  wrong(
    'int64s rounded in lists',
    shows((pet, { path, method }) =>
      path === '/v1/pets' && method === 'GET' ? { ...pet, categoryId: rounded(pet.categoryId) } : pet,
    ),
    'int64-listed',
  ),
  wrong(
    'int64s rounded when fetched',
    shows((pet, { path }) => (path !== '/v1/pets' ? { ...pet, categoryId: rounded(pet.categoryId) } : pet)),
    'int64-fetched',
  ),
  wrong(
    'int64s cut to 32 bits',
    shows((pet) => ({ ...pet, categoryId: BigInt.asIntN(32, pet.categoryId) })),
    'int64-above-double',
  ),
  wrong(
    'int64s without their sign',
    shows((pet) => ({ ...pet, categoryId: BigInt.asUintN(64, pet.categoryId) })),
    'int64-below-double',
  ),
  wrong(
    'int64s held below the largest',
    shows((pet) => ({ ...pet, categoryId: pet.categoryId > 2n ** 62n ? 2n ** 62n : pet.categoryId })),
    'int64-largest',
  ),
  wrong(
    'the smallest int64 made positive',
    shows((pet) => ({ ...pet, categoryId: pet.categoryId === -(2n ** 63n) ? 2n ** 63n - 1n : pet.categoryId })),
    'int64-smallest',
  ),
  wrong(
    '500 to the largest int64',
    replies(
      (reply, incoming) => reply.status === 201 && incoming?.body.includes('9223372036854775807') === true,
      withStatus(500),
    ),
    'int64-largest',
  ),
  wrong(
    'categoryId 0 returned as null',
    showsText((text) => text.replace('"categoryId":0', '"categoryId":null')),
    'int64-zero',
  ),
  wrong(
    'categoryId 0 left out',
    showsText((text) => text.replace(',"categoryId":0', '')),
    'int64-zero',
  ),
  wrong('categoryId as a string', text64('', '"#"'), 'create-available'),
  wrong('id as a string', text64('"#"', ''), 'create-available'),
  wrong('id as a string of letters', text64('"pet_#"', ''), 'create-available'),
  wrong('id as a UUID', text64('"7b1c52e4-0d2f-4b7a-9c57-0000000000#"', ''), 'create-available'),
  wrong('id with a fraction', text64('#.5', ''), 'create-available'),
  wrong(
    'large int64s as strings',
    showsText((text) => text.replace(/"categoryId":(-?\d{16,})/, '"categoryId":"$1"')),
    'int64-above-double',
  ),
  wrong(
    'a created animal without its id',
    replies(
      is201,
      withBody((body) => body.replace(/"id":\d+,/, '')),
    ),
    'create-available',
  ),
  wrong(
    '"id": null on creation',
    replies(
      is201,
      withBody((body) => body.replace(/"id":\d+/, '"id":null')),
    ),
    'create-available',
  ),
  wrong(
    'the id under another name',
    showsText((text) => text.replace('"id"', '"_id"')),
    'create-available',
  ),
  wrong(
    'category_id for categoryId',
    showsText((text) => text.replace('"categoryId"', '"category_id"')),
    'create-available',
  ),
  wrong(
    'a category object for categoryId',
    showsText((text) => text.replace(/"categoryId":(-?\d+)/, '"categoryId":{"id":$1}')),
    'create-available',
  ),
]
