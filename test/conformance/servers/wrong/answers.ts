/**
 * Servers that are wrong in what they answer to one of the operations (R3-R11). Mistakes that do not meet are made by
 * one server, and each is a finding of its own.
 */
import { CASES } from '../../../../conformance/src/index.ts'
import {
  aFetch,
  aList,
  bodies,
  both,
  creates,
  instead,
  keeps,
  path,
  query,
  quiet,
  refusing,
  renames,
  replies,
  rounded,
  selects,
  sends,
  shows,
  showsText,
  status,
  storesRefused,
  type Wrong,
  withStatus,
  wrong,
} from '../mutate.ts'
import { type Behaviour, CORRECT, error } from '../reference.ts'

const is201 = status(201)
const isEmptyList = both(aList, (reply) => reply.body === '[]')
const pages = (change: (limit: number) => number) =>
  selects((pets, asked, nowMs) => CORRECT.select(pets, { ...asked, limit: change(asked.limit) }, nowMs))
const sees = (change: (pets: Parameters<Behaviour['select']>[0]) => Parameters<Behaviour['select']>[0]) =>
  selects((pets, asked, nowMs) => CORRECT.select(change(pets), asked, nowMs))

const LISTS: readonly Wrong[] = wrong([
  ['404 for an empty list', replies(isEmptyList, instead(error(404, 'none'))), 'list'],
  ['a list that is always empty', sees(() => []), 'list-shows-created'],
  ['null between animals', bodies(aList, (body) => body.replace('},{', '},null,{')), 'list-shows-created'],
  ['a list that does not show what was just created', sees((pets) => pets.slice(0, -1)), 'create-equal'],
  ['names trimmed on reading', shows(trimmedWhenRead), 'list-shows-as-created'],
  ['one animal twice in a list', sees((pets) => [...pets, ...pets.slice(-1)]), 'ids-unique-listed'],
  [
    '"status": null for animals without one, in lists',
    showsText((text, incoming) => (incoming.method === 'POST' ? text : text.replace(NO_STATUS, ',"status":null}'))),
    'pet-fields-listed',
  ],
  ['one animal more than limit', pages((limit) => limit + 1), 'limit-1'],
  ['one animal fewer than limit from 5 on', pages((limit) => (limit < 5 ? limit : limit - 1)), 'limit-5'],
  ['pages capped at 10', pages((limit) => Math.min(limit, 10)), 'limit-20'],
  ['pages capped at 99', pages((limit) => Math.min(limit, 99)), 'limit-100'],
  ['the limit ignored', pages(() => 20), 'limit-1', 'limit-100'],
  [
    'pages capped at 50 once there are 150 animals',
    selects((pets, asked, nowMs) =>
      CORRECT.select(pets, pets.length < 150 ? asked : { ...asked, limit: Math.min(asked.limit, 50) }, nowMs),
    ),
    'limit-100',
  ],
  [
    'some limits answered with a status of their own',
    replies(
      both(aList, (_reply, incoming) => incoming?.query.has('status') === false),
      (reply, incoming) => ({ ...reply, status: ODD_LIMITS[incoming?.query.get('limit') ?? ''] ?? 200 }),
    ),
    ...['limit-2', 'limit-11', 'limit-21', 'limit-33', 'limit-50', 'limit-64', 'limit-99'],
  ],
  ['a default limit of 25', query((params) => params.has('limit') || params.set('limit', '25')), 'limit-default'],
  [
    'the filter available finds nothing',
    selects((pets, asked, nowMs) => (asked.status === 'available' ? [] : CORRECT.select(pets, asked, nowMs))),
    'filter-available',
  ],
  [
    'a filter that shows animals without a status too',
    selects((pets, asked) =>
      pets
        .filter((pet) => [pet.status, undefined].includes(asked.status) || pet.status === undefined)
        .reverse()
        .slice(0, asked.limit),
    ),
    'filter-pending',
  ],
  [
    'the filter sold refused',
    query((params) => params.get('status') === 'sold' && params.set('status', 'none')),
    'filter-sold',
  ],
  [
    'a filter that sees only the newest 100',
    selects((pets, asked, nowMs) => CORRECT.select(asked.status === undefined ? pets : pets.slice(-100), asked, nowMs)),
    'filter-available',
  ],
  [
    'the limit applied before the filter, oldest first',
    selects((pets, asked) =>
      pets.slice(0, asked.limit).filter((pet) => asked.status === undefined || pet.status === asked.status),
    ),
    'filter-with-limit',
  ],
  [
    'a filter without a limit of its own',
    selects((pets, asked, nowMs) => {
      const isBare = asked.status === 'available' && asked.limit === 20
      return CORRECT.select(pets, isBare ? { ...asked, limit: 1_000 } : asked, nowMs)
    }),
    'filter-default',
  ],
])

const ODD_LIMITS: Readonly<Record<string, number>> = { 2: 500, 11: 501, 21: 502, 33: 503, 50: 504, 64: 505, 99: 507 }
const NO_STATUS = /(?<!"status":"\w+")\}$/

function trimmedWhenRead(pet: Parameters<Behaviour['keep']>[0], incoming: { readonly method: string }): typeof pet {
  return incoming.method === 'POST' ? pet : { ...pet, name: pet.name.trim() }
}

/** Ids of their own, also for what is created at once. */
export function ids(): () => bigint {
  let last = 0n
  return () => ++last
}

const CREATIONS: readonly Wrong[] = wrong([
  ['500 to any creation', replies(is201, instead(error(500, 'oops'))), 'create-available'],
  ['every status made available', creates((pet) => ({ ...pet, status: 'available' })), 'create-pending'],
  ['sold made pending', creates((pet) => (pet.status === 'sold' ? { ...pet, status: 'pending' } : pet)), 'create-sold'],
  [
    'a status required',
    {
      readNewPet: (text, incoming) =>
        text.includes('"status"') ? CORRECT.readNewPet(text, incoming) : { problems: ['status'] },
    },
    'create-without-status',
  ],
  [
    'another category returned',
    shows((pet) => ({ ...pet, categoryId: pet.categoryId === 1n ? 2n : pet.categoryId })),
    'create-as-sent',
  ],
  [
    'category and id exchanged',
    shows((pet) => ({ ...pet, id: pet.categoryId, categoryId: pet.id })),
    ...['ids-unique-created', 'create-as-sent'],
  ],
  ['accepted and never stored', () => ({ newId: ids(), keep: () => undefined }), 'list-shows-created'],
  [
    'equal animals merged in the store',
    () => ({
      newId: ids(),
      keep: (pet, pets) =>
        pets.some(({ name, status }) => name === pet.name && status === pet.status) ? undefined : pet,
    }),
    'create-equal',
  ],
  [
    'bodies in chunks read as empty',
    {
      readNewPet: (text, incoming) =>
        CORRECT.readNewPet(incoming.headers['transfer-encoding'] === undefined ? text : '', incoming),
    },
    'create-chunked',
  ],
  ['one id for all', { newId: () => 1n }, 'ids-unique-created'],
  [
    'an id that the client sends is adopted',
    {
      readNewPet: (text, incoming) => CORRECT.readNewPet(text.replace(/"id":\d+,/, ''), incoming),
      newId: (pets, incoming) => BigInt(/"id":(\d+)/.exec(incoming.body)?.[1] ?? pets.length + 1),
    },
    'id-not-adopted',
  ],
  ['the same id for creations at once', { commit: () => quiet(() => 0) }, 'ids-unique-at-once'],
  [
    'names spoiled in every way',
    renames((name) =>
      name
        .replace(/ +/g, ' ')
        .replace(/[^ -~\t\n]/g, '?')
        .replaceAll('<', '&lt;')
        .replaceAll('\\', '')
        .slice(0, 255),
    ),
    ...['create-name-unicode', 'create-name-quotes', 'create-name-markup', 'create-name-spaces', 'create-name-long'],
  ],
  ['names that are not ASCII refused', refusing(/[^ -~]|\\u/), 'create-name-letters'],
  ['percent-escapes in names decoded', renames((name) => name.replace(/%41/g, 'A')), 'create-name-percent'],
  ['500 to a tab in a name', replies(sends(/\\t/), withStatus(500)), 'create-name-controls'],
  [
    'names of digits returned as numbers',
    showsText((text) => text.replace(/"name":"(\d+)"/, '"name":$1')),
    'create-name-digits',
  ],
  ['the name null taken for none', renames((name) => (name === 'null' ? '' : name)), 'create-name-null'],
])

const INT64S: readonly Wrong[] = wrong([
  [
    'int64s rounded on their way in',
    creates((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) })),
    'int64-above-double',
  ],
  ['only positive categories', refusing(/"categoryId":-/), 'int64-below-double'],
  ['500 to the largest int64', replies(sends(/9223372036854775807/), withStatus(500)), 'int64-largest'],
  ['the smallest category refused', refusing(/-9223372036854775808/), 'int64-smallest'],
  ['categoryId 0 left out', showsText((text) => text.replace(',"categoryId":0', '')), 'int64-zero'],
  [
    'int64s rounded where they are kept',
    keeps((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) })),
    'int64-listed',
  ],
  [
    'int64s rounded when fetched',
    shows((pet, incoming) => (incoming.path === '/v1/pets' ? pet : { ...pet, categoryId: rounded(pet.categoryId) })),
    'int64-fetched',
  ],
])

/** A valid animal that is made of an invalid one, its name as far as it has one. */
const takes = (isTaken: (text: string) => boolean): Partial<Behaviour> => ({
  readNewPet: (text, incoming) => {
    const checked = CORRECT.readNewPet(text, incoming)
    if ('value' in checked || !isTaken(text)) return checked
    return { value: { name: /"name":"([^"\n\\]*)"/.exec(text)?.[1] ?? 'x', categoryId: 7n } }
  },
})
const isNearly = (text: string): boolean => /-j\b|^\[{20}/.test(text)
/** The cases of invalid bodies that rest on the first of them, and those that rest on simpler ones (NEARLY). */
const refusing400 = (isSimple: boolean): readonly string[] =>
  CASES.filter(
    ({ id, restsOn = [] }) =>
      /^refuse-(?!without-fields|nesting-open)/.test(id) && restsOn.includes('refuse-without-fields') === isSimple,
  ).map(({ id }) => id)

const REFUSALS: readonly Wrong[] = wrong([
  ['all that is invalid taken', takes((text) => text !== '{}' && !isNearly(text)), ...refusing400(true)],
  ['all that is nearly JSON taken', takes((text) => isNearly(text) && !text.endsWith('[')), ...refusing400(false)],
  ['an animal without any field taken', takes((text) => text === '{}'), 'refuse-without-fields'],
  [
    '422 to a status that is none',
    replies(both(status(400), sends(/"status"/)), withStatus(422)),
    'refuse-status-unknown',
  ],
  ['415 to an empty body', replies(both(status(400), sends(/^$/)), withStatus(415)), 'refuse-body-empty'],
  ['an animal stored after a 400', storesRefused(400), 'refused-not-stored'],
])

const aMissing = both(status(404), path(/\/pets\/-?\d+$/))
const ODD_IDS: Readonly<Record<string, number>> = {
  '-9223372036854775808': 400,
  '9223372036854775806': 410,
  '0': 500,
  '-1': 403,
  '9007199254740993': 422,
}

const FETCHES: readonly Wrong[] = wrong([
  ['400 for a missing animal', replies(aMissing, withStatus(400)), 'get-missing'],
  [
    'some ids answered with a status of their own',
    replies(aMissing, (reply, incoming) => ({
      ...reply,
      status: ODD_IDS[incoming?.path.replace(/^.*\//, '') ?? ''] ?? reply.status,
    })),
    ...['get-largest', 'get-smallest', 'get-zero', 'get-negative', 'get-beyond-double'],
  ],
  [
    'ids rounded when looked up',
    { find: (pets, id) => (id === '9007199254740993' ? pets[0] : CORRECT.find(pets, id)) },
    'get-beyond-double',
  ],
  [
    'the newest animal whatever the id',
    { find: (pets, id) => (CORRECT.find(pets, id) === undefined ? undefined : pets.at(-1)) },
    'get-as-created',
  ],
  ['a list of one when fetched', bodies(aFetch, (body) => `[${body}]`), 'get'],
  ['getPet gone before its time', replies(aFetch, instead(error(404, 'gone'))), 'get'],
])

export const WRONG_ANSWERS: readonly Wrong[] = [...LISTS, ...CREATIONS, ...INT64S, ...REFUSALS, ...FETCHES]
