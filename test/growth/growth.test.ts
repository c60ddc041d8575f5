/**
 * No work on a text from outside grows faster than the text. Patterns, and functions that take one text, are found by
 * themselves; what else reads such texts is listed. `npm run check` judges the patterns too, without running them.
 */
import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import cookie from '@fastify/cookie'
import multipart from '@fastify/multipart'
import { stringify } from 'csv-stringify/sync'
import widthOf from 'fast-string-width'
import { fastify } from 'fastify'
import { pino } from 'pino'
import pretty from 'pino-pretty'
import { readyFor } from '../../src/animals-file/mapping.ts'
import { AnimalsWriter } from '../../src/animals-file/write.ts'
import { acceptsCoding } from '../../src/assets/assets.ts'
import { tableOf } from '../../src/cli/table.ts'
import { memberParser } from '../../src/contract/json.ts'
import { checkListQuery, checkNewPet, parseNewPet } from '../../src/contract/validate.ts'
import { describeRenumbering } from '../../src/domain/file-outcome.ts'
import { clientAddress } from '../../src/http/client-address.ts'
import { Router } from '../../src/http/route.ts'
import { feedOf } from '../../src/public-page/feed.ts'
import { english } from '../../src/public-page/languages/index.ts'
import { escaped, Wording } from '../../src/public-page/words.ts'
import { patientClock } from '../support/time/clock.ts'
import { ROOT } from '../tidy/tree.ts'
import { attacksOn } from './attacks.ts'
import { functions, patterns } from './code.ts'
import { assertEven, REPEATED } from './growth.ts'

const router = new Router({
  clock: patientClock,
  listUrl: '/v1/pets',
  schemes: ['http'],
  isPage: () => false,
  isPreflight: () => false,
})
const JSON_TYPE = { 'content-type': 'application/json' }

function request(target: string, headers: Record<string, string> = { host: 'a' }): IncomingMessage {
  const made = new IncomingMessage(new Socket())
  return Object.assign(made, { url: target, method: 'GET', httpVersion: '1.1', headers, rawHeaders: ['Host', 'a'] })
}

/** Operator's port and office: what Fastify and its plugins read of a request. */
const office = fastify({ exposeHeadRoutes: false })
office.register(cookie)
office.register(multipart)
office.post('/form', async (request) => {
  for await (const part of request.parts()) if (part.type === 'file') part.file.resume()
})
const QUERY = { type: 'object', properties: { text: { type: 'string', pattern: '^[^\\0]*$' } } }
office.get('/:name', { schema: { querystring: QUERY } }, ({ cookies, query, params }) => ({ cookies, query, params }))
office.post('/json', ({ body }) => ({ body }))

const form = (text: string) => ({
  headers: { 'content-type': `multipart/form-data; boundary=b; ${text}` },
  payload: `--b\r\nContent-Disposition: form-data; name="${text}"; filename*=${text}\r\n\r\n${text}\r\n--b--\r\n`,
})
const wording = new Wording(english, new Map(), {})
const ofPages = { heading: '', animals: [], wording, contact: {}, hasPages: true, url: undefined }
const logged = () => pretty({ sync: true, destination: new Writable({ write: (_chunk, _encoding, done) => done() }) })

const LISTED: Readonly<Record<string, (text: string) => unknown>> = {
  'the headings of a file': (text) => readyFor(text.split(',')),
  'references that have changed': (text) => describeRenumbering([[text, `0${text}`]]),
  'a name in CSV for spreadsheets': (text) => [
    ...new AnimalsWriter('csv', { forSpreadsheet: true }).rows([
      { id: '1', name: text, categoryId: '1', status: 'sold' },
    ]),
  ],
  'csv-stringify': (text) => stringify([[text]]),
  'fast-string-width': widthOf,
  'a cell of a table on a terminal': (text) => tableOf(['A', 'B'], 80)([[text, text]]),
  'a target, a host': (text) => router.find(request(`/v1/pets/${text}?${text}`, { host: text })),
  'an absolute target': (text) => router.find(request(`http://${text}`)),
  'addresses of proxies': (text) => clientAddress(request('/', { 'x-forwarded-for': text }), () => true),
  codings: (text) => acceptsCoding('gzip', text),
  'a query': (text) => checkListQuery(new URLSearchParams(`status=${text}&${text}`)),
  'a body': (text) => checkNewPet(parseNewPet(`{"categoryId":${text},"name":"${text}"`)),
  'numbers of a body': (text) => memberParser('categoryId')(`{"categoryId":1,"a":${JSON.stringify(text)},"b":[${text}`),
  'a feed': (text) => feedOf(ofPages, { register: 'r', choice: 'c', before: text, nowMs: 0 }),
  'a name on the page for the website': (text) =>
    escaped(text) + wording.nameOf({ id: '1', name: text, categoryId: '1', status: undefined }),
  'a cookie': (text) => office.inject({ url: '/a', headers: { cookie: text } }),
  'a path and query of the office': (text) => office.inject({ url: `/${encodeURI(text)}?text=${encodeURI(text)}` }),
  'a body of the office': (text) => office.inject({ method: 'POST', url: '/json', payload: text, headers: JSON_TYPE }),
  'a form of the office': (text) => office.inject({ method: 'POST', url: '/form', ...form(text) }),
  'a line of the log': (text) => pino(logged()).info({ path: text, err: new Error(text) }, text),
}

describe('work on a text from outside grows as the text does', () => {
  it('in every regular expression', async () => {
    assert(patterns.length > 200 && functions.length > 50)
    for (const pattern of patterns) {
      const expression = new RegExp(pattern.source, pattern.flags.replace('y', ''))
      const { global } = expression
      const run = (text: string) =>
        global ? text.replace(expression, '') : [expression.exec(text), text.split(expression)]
      await assertEven(`${pattern.place} /${pattern.source}/`, run, attacksOn(pattern))
    }
  })

  for (const { file, name } of functions) {
    it(`in ${name} of ${file}`, async () => {
      const { [name]: found } = await import(`${ROOT}/${file}`)
      await assertEven(name, found)
    })
  }

  for (const [what, work] of Object.entries(LISTED)) it(`in ${what}`, () => assertEven(what, work, REPEATED))
})
