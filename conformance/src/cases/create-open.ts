/** Section 4.2: creations whose validity the interface leaves open; and HTTP's own part in them. */
import { type Case, type CaseInSection, inSection } from '../case.ts'
import { creationOutcome } from '../describe.ts'
import { createPet, type Headers, WITH_KEY } from '../http/request.ts'

const withCategory = (text: string) => (name: string) => `{"name":${name},"categoryId":${text}}`

interface Open {
  readonly id: string
  /** Goes on from "How a creation … is answered". */
  readonly what: string
  readonly cites: Case['cites']
  readonly level?: Case['level']
  /** It lacks a required field, so no server stores it. */
  readonly isStoredNowhere?: true
  readonly body: (name: string) => string | Buffer
  readonly contentHeaders?: Headers
}

const OPEN: readonly Open[] = [
  {
    id: 'with-unknown-field',
    what: 'with a field that the interface does not know',
    cites: ['O17'],
    body: (name) => `{"name":${name},"categoryId":1,"colour":"red"}`,
  },
  { id: 'category-point-zero', what: 'with a categoryId of 7.0', cites: ['O20'], body: withCategory('7.0') },
  { id: 'category-exponent', what: 'with a categoryId of 7e0', cites: ['O20'], body: withCategory('7e0') },
  {
    id: 'field-twice',
    what: 'that gives categoryId twice, 7 and then 8,',
    cites: ['O20'],
    body: (name) => `{"name":${name},"categoryId":7,"categoryId":8}`,
  },
  {
    id: 'byte-order-mark',
    what: 'that begins with a byte order mark',
    cites: ['O20'],
    body: (name) => `\uFEFF${withCategory('1')(name)}`,
  },
  {
    id: 'broken-utf8',
    what: 'whose name is not valid UTF-8',
    cites: ['O20'],
    body: (name) => Buffer.from(`{"name":${name.slice(0, -1)}\xFF","categoryId":1}`, 'latin1'),
  },
  {
    id: 'name-nul',
    what: 'whose name holds U+0000',
    cites: ['O19'],
    body: (name) => withCategory('1')(`${name.slice(0, -1)}\\u0000"`),
  },
  {
    id: 'name-surrogate',
    what: 'whose name holds half of a surrogate pair',
    cites: ['O19'],
    body: (name) => withCategory('1')(`${name.slice(0, -1)}\\ud83d"`),
  },
  { id: 'name-empty', what: 'with an empty name', cites: ['O19'], body: () => withCategory('1')('""') },
  {
    id: 'category-unheard-of',
    what: 'with a categoryId that no one has heard of',
    cites: ['O1'],
    body: withCategory('7086219'),
  },
  {
    id: 'charset',
    what: 'as application/json; charset=utf-8',
    cites: ['O23'],
    body: withCategory('1'),
    contentHeaders: { 'Content-Type': 'application/json; charset=utf-8' },
  },
  {
    id: 'text-plain',
    what: 'as text/plain',
    cites: ['O23'],
    body: withCategory('1'),
    contentHeaders: { 'Content-Type': 'text/plain' },
  },
  { id: 'no-type', what: 'without a Content-Type', cites: ['O23'], body: withCategory('1'), contentHeaders: {} },
  {
    id: 'content-coding',
    what: 'that claims a content coding',
    cites: ['O23'],
    body: withCategory('1'),
    contentHeaders: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
  },
  {
    id: 'large-body',
    what: 'of a little over 1 MiB',
    cites: ['O19', 'O23'],
    // What stands before a program may refuse it by itself.
    level: 'strict',
    isStoredNowhere: true,
    body: (name) => `{"name":${name.slice(0, -1)}${'a'.repeat(2 ** 20 + 2 ** 16)}"}`,
  },
]

function openCase({ id, what, cites, level = 'core', isStoredNowhere, body, contentHeaders }: Open): CaseInSection {
  return {
    id: `create-${id}`,
    title: `How a creation ${what} is answered`,
    cites,
    level,
    needs: isStoredNowhere ? [] : ['thorough'],
    run: async (kit) => {
      const name = JSON.stringify(`${kit.namePrefix}o`)
      const exchange = await kit.trySend(createPet(body(name), WITH_KEY, contentHeaders))
      return `Creation ${what.replace(/,$/, '')}: ${typeof exchange === 'string' ? `no answer, ${exchange}` : creationOutcome(exchange)}.`
    },
  }
}

export const openCreationCases = inSection('4.2 Add an animal', OPEN.map(openCase))
