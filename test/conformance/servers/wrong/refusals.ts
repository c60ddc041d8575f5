/**
 * Servers that take invalid animals, or refuse them in another way (R10). Each accepts one kind of invalid value, and
 * no other.
 */
import type { NewPet } from '../../../../src/contract/schemas.ts'
import {
  both,
  instead,
  method,
  path,
  replies,
  status,
  storesRefused,
  type Wrong,
  withBody,
  withStatus,
  wrong,
} from '../mutate.ts'
import { CORRECT, error, type Incoming } from '../reference.ts'

/** The bodies that are taken, each with the case that sends it. */
const TAKEN: readonly (readonly [foundBy: string, what: string, body: RegExp])[] = [
  ['refuse-without-fields', 'no field at all', /^\{\}$/],
  ['refuse-without-name', 'a missing name', /^\{"categoryId":1\}$/],
  ['refuse-without-category', 'a missing categoryId', /^\{"name":"[^"]*"\}$/],
  ['refuse-body-empty', 'an empty body', /^$/],
  ['refuse-body-null', 'null for a body', /^null$/],
  ['refuse-body-string', 'a string for a body', /^"/],
  ['refuse-body-number', 'a number for a body', /^7$/],
  ['refuse-body-array', 'an array of animals', /^\[/],
  ['refuse-body-cut', 'JSON that breaks off', /"categoryId":1$/],
  ['refuse-body-two', 'what follows the JSON', /\}\{\}$/],
  ['refuse-body-form', 'a form', /^name=/],
  ['refuse-name-null', 'null for a name', /"name":null/],
  ['refuse-name-number', 'a number for a name', /"name":7/],
  ['refuse-name-boolean', 'true for a name', /"name":true/],
  ['refuse-name-array', 'an array for a name', /"name":\[/],
  ['refuse-name-object', 'an object for a name', /"name":\{/],
  ['refuse-category-null', 'null for a categoryId', /"categoryId":null/],
  ['refuse-category-string', 'digits in a string for a categoryId', /"categoryId":"7"/],
  ['refuse-category-string-empty', 'an empty string for a categoryId', /"categoryId":""/],
  ['refuse-category-word', 'a word for a categoryId', /"categoryId":"dogs"/],
  ['refuse-category-boolean', 'true for a categoryId', /"categoryId":true/],
  ['refuse-category-false', 'false for a categoryId', /"categoryId":false/],
  ['refuse-category-array', 'an array for a categoryId', /"categoryId":\[7\]/],
  ['refuse-category-array-empty', 'an empty array for a categoryId', /"categoryId":\[\]/],
  ['refuse-category-object', 'an object for a categoryId', /"categoryId":\{/],
  ['refuse-category-fraction', 'a fraction', /"categoryId":7\.5/],
  ['refuse-category-too-large', 'a categoryId that wraps round', /"categoryId":9223372036854775808/],
  ['refuse-category-too-small', 'a categoryId that wraps round below', /"categoryId":-9223372036854775809/],
  ['refuse-category-far-too-large', 'a categoryId of 1e30', /"categoryId":1e30/],
  ['refuse-status-unknown', 'an unknown status', /"status":"lost"/],
  ['refuse-status-capital', 'a status with a capital', /"status":"Available"/],
  ['refuse-status-upper-case', 'a status in upper case', /"status":"SOLD"/],
  ['refuse-status-empty', 'an empty status', /"status":""/],
  ['refuse-status-space', 'a status with a space', /"status":"sold "/],
  ['refuse-status-null', 'null for a status', /"status":null/],
  ['refuse-status-number', 'a number for a status', /"status":1/],
  ['refuse-status-boolean', 'false for a status', /"status":false/],
  ['refuse-status-array', 'an array for a status', /"status":\["sold"\]/],
]

/** A valid animal that is made of an invalid one, its name as far as it has one. */
function forced(text: string): NewPet {
  return { name: /"name":"([^"]*)"/.exec(text)?.[1] ?? 'x', categoryId: 7n }
}

const taken = TAKEN.map(([foundBy, what, body]) =>
  wrong(
    `${what} accepted`,
    {
      readNewPet: (text: string, incoming: Incoming) =>
        body.test(text) ? { value: forced(text) } : CORRECT.readNewPet(text, incoming),
    },
    foundBy,
  ),
)

export const REFUSAL_DEFECTS: readonly Wrong[] = [
  ...taken,
  ...[422, 409, 500, 404].map((code) =>
    wrong(
      `${code} to an invalid creation`,
      replies(both(status(400), method('POST')), withStatus(code)),
      'refuse-without-fields',
    ),
  ),
  wrong(
    '200 and the problems to an invalid creation',
    replies(both(status(400), method('POST')), withStatus(200)),
    'refuse-without-fields',
  ),
  wrong(
    '500 to JSON that breaks off',
    replies(
      (_reply, incoming) => incoming?.method === 'POST' && incoming.body.endsWith('"categoryId":1'),
      withStatus(500),
    ),
    'refuse-body-cut',
  ),
  wrong(
    '500 to null for a body',
    replies((_reply, incoming) => incoming?.body === 'null', withStatus(500)),
    'refuse-body-null',
  ),
  wrong(
    '422 to a status that is none',
    replies((reply, incoming) => reply.status === 400 && incoming?.body.includes('"status"') === true, withStatus(422)),
    'refuse-status-unknown',
  ),
  wrong(
    '415 to an empty body',
    replies((reply, incoming) => reply.status === 400 && incoming?.body === '', withStatus(415)),
    'refuse-body-empty',
  ),
  wrong('an animal stored after a 400', storesRefused(400), 'refused-not-stored'),
]

const aMissing = both(status(404), path(/\/pets\/-?\d+$/))
const foundPath = path(/\/pets\/\d+$/)

export const FETCH_DEFECTS: readonly Wrong[] = [
  wrong(
    '200 and null for a missing animal',
    replies(aMissing, (reply) => ({ ...reply, status: 200, body: 'null' })),
    'get-missing',
  ),
  wrong(
    '200 and {} for a missing animal',
    replies(aMissing, (reply) => ({ ...reply, status: 200, body: '{}' })),
    'get-missing',
  ),
  wrong(
    '200 and an empty list for a missing animal',
    replies(aMissing, (reply) => ({ ...reply, status: 200, body: '[]' })),
    'get-missing',
  ),
  ...[204, 400, 410, 500, 403].map((code) =>
    wrong(`${code} for a missing animal`, replies(aMissing, withStatus(code)), 'get-missing'),
  ),
  ...(
    [
      ['get-smallest', 'the smallest id', /-9223372036854775808$/],
      ['get-largest', 'an id near the largest', /9223372036854775806$/],
      ['get-zero', 'the id 0', /\/0$/],
      ['get-negative', 'the id -1', /\/-1$/],
      ['get-beyond-double', 'an id that no double holds', /9007199254740993$/],
    ] as const
  ).map(([foundBy, what, pattern]) =>
    wrong(`400 for ${what}`, replies(both(status(404), path(pattern)), withStatus(400)), foundBy),
  ),
  wrong('500 for negative ids', replies(both(status(404), path(/\/-\d+$/)), withStatus(500)), 'get-smallest'),
  wrong(
    'the first animal for the id 0',
    { find: (pets, id) => (id === '0' ? pets[0] : CORRECT.find(pets, id)) },
    'get-zero',
  ),
  wrong(
    'ids rounded when looked up',
    { find: (pets, id) => (id === '9007199254740993' ? pets[0] : CORRECT.find(pets, id)) },
    'get-beyond-double',
  ),
  wrong(
    'the newest animal whatever the id',
    { find: (pets, id) => (CORRECT.find(pets, id) === undefined ? undefined : pets.at(-1)) },
    'get-as-created',
  ),
  wrong(
    'another name when fetched',
    replies(
      both(status(200), foundPath),
      withBody((body) => body.replace('"name":"', '"name":"Mr ')),
    ),
    'get-as-created',
  ),
  wrong(
    'no status when fetched',
    replies(
      both(status(200), foundPath),
      withBody((body) => body.replace(/,"status":"\w+"/, '')),
    ),
    'get-as-created',
  ),
  wrong(
    'always available when fetched',
    replies(
      both(status(200), foundPath),
      withBody((body) => body.replace(/"status":"\w+"/, '"status":"available"')),
    ),
    'get-as-created',
  ),
  wrong(
    'category 0 when fetched',
    replies(
      both(status(200), foundPath),
      withBody((body) => body.replace(/"categoryId":-?\d+/, '"categoryId":0')),
    ),
    'get-as-created',
  ),
  wrong(
    'a list of one when fetched',
    replies(
      both(status(200), foundPath),
      withBody((body) => `[${body}]`),
    ),
    'get',
  ),
  wrong(
    'the animal inside an object when fetched',
    replies(
      both(status(200), foundPath),
      withBody((body) => `{"data":${body}}`),
    ),
    'get',
  ),
  wrong('203 when fetched', replies(both(status(200), foundPath), withStatus(203)), 'get'),
  wrong(
    'sold animals are not found',
    {
      find: (pets, id) => {
        const pet = CORRECT.find(pets, id)
        return pet?.status === 'sold' ? undefined : pet
      },
    },
    'get-as-created',
  ),
  wrong('getPet gone before its time', replies(both(status(200), foundPath), instead(error(404, 'gone'))), 'get'),
  wrong('getPet as 410 before its time', replies(both(status(200), foundPath), withStatus(410)), 'get'),
]
