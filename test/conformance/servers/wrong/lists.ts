/** Servers whose list is wrong: its shape, its length, its filter, what it shows (R7, R8). */

import {
  aList,
  instead,
  query,
  replies,
  selects,
  showsText,
  type Wrong,
  withBody,
  withStatus,
  wrong,
} from '../mutate.ts'
import { CORRECT, error } from '../reference.ts'

const STATUSES = ['available', 'pending', 'sold'] as const

const capped = (most: number, from = 0) =>
  selects((pets, asked, nowMs) =>
    CORRECT.select(pets, pets.length < from ? asked : { ...asked, limit: Math.min(asked.limit, most) }, nowMs),
  )
const byDefault = (limit: string) => query((params) => params.has('limit') || params.set('limit', limit))
/** The animals that `isSeen`, where a status is asked for. */
const filtering = (isSeen: (index: number, count: number) => boolean) =>
  selects((pets, asked, nowMs) =>
    CORRECT.select(asked.status === undefined ? pets : pets.filter((_pet, i) => isSeen(i, pets.length)), asked, nowMs),
  )

export const LIST_DEFECTS: readonly Wrong[] = [
  wrong(
    'the list inside an object',
    replies(
      aList,
      withBody((body) => `{"pets":${body}}`),
    ),
    'list',
  ),
  wrong('the list as an object by id', replies(aList, withBody('{"1":{}}')), 'list'),
  wrong(
    'null for an empty list',
    replies((reply, incoming) => aList(reply, incoming) && reply.body === '[]', withBody('null')),
    'list',
  ),
  wrong(
    '204 for an empty list',
    replies((reply, incoming) => aList(reply, incoming) && reply.body === '[]', withStatus(204)),
    'list',
  ),
  wrong(
    '404 for an empty list',
    replies((reply, incoming) => aList(reply, incoming) && reply.body === '[]', instead(error(404, 'none'))),
    'list',
  ),
  wrong('206 for a list', replies(aList, withStatus(206)), 'list'),
  wrong(
    'one JSON text a line',
    replies(
      aList,
      withBody((body) => body.slice(1, -1).replaceAll('},{', '}\n{')),
    ),
    'list',
  ),
  wrong(
    'one animal more than limit',
    selects((pets, asked, now) => CORRECT.select(pets, { ...asked, limit: asked.limit + 1 }, now)),
    'limit-1',
  ),
  wrong(
    'one animal fewer than limit',
    selects((pets, asked, now) => CORRECT.select(pets, { ...asked, limit: asked.limit - 1 }, now)),
    'limit-1',
  ),
  wrong(
    'one animal fewer than limit from 5 on',
    selects((pets, asked, now) =>
      CORRECT.select(pets, asked.limit < 5 ? asked : { ...asked, limit: asked.limit - 1 }, now),
    ),
    'limit-5',
  ),
  wrong(
    'the limit ignored',
    selects((pets, asked, now) => CORRECT.select(pets, { ...asked, limit: 20 }, now)),
    'limit-1',
    'limit-100',
  ),
  wrong(
    'the limit ignored, all shown',
    selects((pets, asked, now) => CORRECT.select(pets, { ...asked, limit: 1e6 }, now)),
    'limit-1',
  ),
  ...['5', '10', '19', '21', '25', '50', '100'].map((limit) =>
    wrong(`a default limit of ${limit}`, byDefault(limit), 'limit-default'),
  ),
  wrong(
    'limit=100 refused',
    query((params) => params.get('limit') === '100' && params.set('limit', '0')),
    'limit-100',
  ),
  wrong(
    'limit=1 refused',
    query((params) => params.get('limit') === '1' && params.set('limit', '0')),
    'limit-1',
  ),
  ...[20, 25, 50, 99].map((most) => wrong(`pages capped at ${most}`, capped(most), 'limit-100')),
  wrong('pages capped at 10', capped(10), 'limit-20'),
  wrong('pages capped at 50 once there are 150 animals', capped(50, 150), 'limit-100'),
  wrong('pages capped at 20 once there are 100 animals', capped(20, 100), 'limit-100'),
  wrong('an empty list once there are 150 animals', capped(0, 150), 'limit-1'),
  wrong(
    'limit ignored with a filter',
    selects((pets, asked, now) =>
      CORRECT.select(pets, asked.status === undefined ? asked : { ...asked, limit: 100 }, now),
    ),
    'filter-with-limit',
  ),
  wrong(
    'the limit applied before the filter',
    selects((pets, asked, now) =>
      CORRECT.select(CORRECT.select(pets, { ...asked, status: undefined }, now).toReversed(), asked, now),
    ),
    'filter-available',
  ),
  wrong(
    'the limit applied before the filter, oldest first',
    selects((pets, asked) =>
      pets.slice(0, asked.limit).filter(({ status }) => asked.status === undefined || status === asked.status),
    ),
    'filter-with-limit',
  ),
  wrong(
    'the filter ignored',
    query((params) => params.delete('status')),
    'filter-available',
  ),
  ...STATUSES.map((status) =>
    wrong(
      `the filter ${status} ignored`,
      query((params) => params.get('status') === status && params.delete('status')),
      `filter-${status}`,
    ),
  ),
  ...STATUSES.map((status) =>
    wrong(
      `the filter ${status} finds nothing`,
      selects((pets, asked, now) => (asked.status === status ? [] : CORRECT.select(pets, asked, now))),
      `filter-${status}`,
    ),
  ),
  ...STATUSES.map((status) =>
    wrong(
      `the filter ${status} refused`,
      query((params) => params.get('status') === status && params.set('status', 'none')),
      `filter-${status}`,
    ),
  ),
  wrong(
    'a filter that sees only the newest 100',
    filtering((i, count) => i >= count - 100),
    'filter-available',
  ),
  wrong(
    'a filter that sees only the newest 20',
    filtering((i, count) => i >= count - 20),
    'filter-available',
  ),
  wrong(
    'a filter that shows animals without a status too',
    selects((pets, asked) =>
      pets
        .filter(({ status }) => asked.status === undefined || status === undefined || status === asked.status)
        .reverse()
        .slice(0, asked.limit),
    ),
    'filter-pending',
  ),
  wrong(
    'a filter for sold that shows pending ones too',
    selects((pets, asked) =>
      pets
        .filter(
          ({ status }) =>
            asked.status === undefined || status === asked.status || (asked.status === 'sold' && status === 'pending'),
        )
        .reverse()
        .slice(0, asked.limit),
    ),
    'filter-sold',
  ),
  wrong(
    'a filter that turns the rest round',
    selects((pets, asked) =>
      pets
        .filter(({ status }) => asked.status === undefined || status !== asked.status)
        .reverse()
        .slice(0, asked.limit),
    ),
    'filter-available',
  ),
  wrong(
    'a list that does not show what was just created',
    selects((pets, asked, now) => CORRECT.select(pets.slice(0, -1), asked, now)),
    'create-equal',
  ),
  wrong(
    'a list that never shows available animals',
    selects((pets, asked, now) =>
      CORRECT.select(
        pets.filter(({ status }) => status !== 'available'),
        asked,
        now,
      ),
    ),
    'list-shows-created',
  ),
  wrong(
    'a list that is always empty',
    selects(() => []),
    'list-shows-created',
  ),
  wrong(
    'a list that shows the first animal for ever',
    selects((pets, asked) =>
      pets.slice(0, 1).filter(({ status }) => asked.status === undefined || status === asked.status),
    ),
    'list-shows-created',
  ),
  wrong(
    'one animal twice in a list',
    selects((pets, asked, now) => CORRECT.select([...pets, ...pets.slice(-1)], asked, now)),
    'ids-unique-listed',
  ),
  wrong(
    'each animal twice in a list',
    selects((pets, asked, now) =>
      CORRECT.select(
        pets.flatMap((pet) => [pet, pet]),
        asked,
        now,
      ),
    ),
    'ids-unique-listed',
  ),
  wrong(
    'null between animals',
    replies(
      aList,
      withBody((body) => body.replace('},{', '},null,{')),
    ),
    'list-shows-created',
  ),
  wrong(
    '"status": null for animals without one, in lists',
    showsText((text, { method }) =>
      method === 'POST' ? text : text.replace(/(?<!"status":"\w+")\}$/, ',"status":null}'),
    ),
    'pet-fields-listed',
  ),
  wrong(
    'ids left out of lists',
    showsText((text, { path, method }) =>
      path === '/v1/pets' && method === 'GET' ? text.replace(/"id":\d+,/, '') : text,
    ),
    'list-shows-created',
  ),
  wrong(
    'names left out of lists',
    showsText((text, { path, method }) =>
      path === '/v1/pets' && method === 'GET' ? text.replace(/"name":"(?:[^"\\]|\\.)*",/, '') : text,
    ),
    'list-shows-created',
  ),
  wrong(
    'only names in lists',
    replies(
      aList,
      withBody((body) => JSON.stringify((JSON.parse(body) as { name: string }[]).map(({ name }) => name))),
    ),
    'list-shows-created',
  ),
]
