/**
 * Servers whose bodies are not what they are said to be (R1), whose Errors are incomplete (R6), or that want a version
 * (R18).
 */

import {
  aFetch,
  aList,
  always,
  members,
  method,
  type Picks,
  path,
  replies,
  status,
  type Wrong,
  withBody,
  withHeader,
  without,
  wrong,
} from '../mutate.ts'
import { error } from '../reference.ts'

const KINDS: readonly (readonly [kind: string, when: Picks, type: string, body: string])[] = [
  ['a list', aList, 'json-list', 'list'],
  ['a 201', status(201), 'json-creation', 'create-available'],
  ['a fetched animal', aFetch, 'json-get', 'get'],
  ['a 400', status(400), 'json-400', 'json-400'],
  ['a 401', status(401), 'json-401', 'json-401'],
  ['a 404', status(404), 'json-404', 'json-404'],
]
const ERRORS: readonly (readonly [code: 400 | 401 | 404, foundBy: string])[] = [
  [400, 'error-400'],
  [401, 'error-401'],
  [404, 'error-404'],
]

const types = KINDS.flatMap(([kind, when, type, body]) => [
  wrong(`no Content-Type on ${kind}`, replies(when, without('Content-Type')), type),
  wrong(`text/html on ${kind}`, replies(when, withHeader('Content-Type', 'text/html')), type),
  wrong(
    `no JSON in the body of ${kind}`,
    replies(
      when,
      withBody((body) => body.slice(0, -1)),
    ),
    body,
  ),
])

const fields = ERRORS.flatMap(([code, foundBy]) => [
  wrong(`a ${code} without code`, members(status(code), { code: undefined }), foundBy),
  wrong(`a ${code} without message`, members(status(code), { message: undefined }), foundBy),
  wrong(`a ${code} without status`, members(status(code), { status: undefined }), foundBy),
  wrong(`a number for the code of a ${code}`, members(status(code), { code: 17 }), foundBy),
  wrong(`a list for the message of a ${code}`, members(status(code), { message: ['a', 'b'] }), foundBy),
  wrong(`a string for the status of a ${code}`, members(status(code), { status: String(code) }), foundBy),
  wrong(`another status in a ${code}`, members(status(code), { status: 500 }), foundBy),
  wrong(
    `the Error of a ${code} inside an object`,
    replies(
      status(code),
      withBody((body) => `{"error":${body}}`),
    ),
    foundBy,
  ),
])

export const BODY_DEFECTS: readonly Wrong[] = [
  ...types,
  ...fields,
  wrong(
    'vnd.api+json everywhere',
    replies(always, withHeader('Content-Type', 'application/vnd.api+json')),
    'json-list',
  ),
  wrong(
    'problem+json for errors',
    replies((reply) => reply.status >= 400, withHeader('Content-Type', 'application/problem+json')),
    'json-400',
  ),
  wrong(
    'single quotes in lists',
    replies(
      aList,
      withBody((body) => body.replaceAll('"', "'")),
    ),
    // The first list of all is empty, and an empty array has no quotes.
    'list-shows-created',
  ),
  wrong(
    'a byte order mark before lists',
    replies(
      aList,
      withBody((body) => `\uFEFF${body}`),
    ),
    'list',
  ),
  wrong('a 401 without a body', replies(status(401), withBody('')), 'json-401'),
  wrong(
    'an Error missing for an empty body alone',
    replies((reply, incoming) => reply.status === 400 && incoming?.body === '', withBody('{}')),
    'every-error-body',
  ),
  wrong(
    'text/plain for an unknown id alone',
    replies(
      (reply, incoming) => reply.status === 404 && path(/\/0$/)(reply, incoming),
      withHeader('Content-Type', 'text/plain'),
    ),
    'every-answer-json',
  ),
  wrong(
    'the status of an Error with a fraction',
    replies(
      status(404),
      withBody((body) => body.replace('"status":404', '"status":404.5')),
    ),
    'error-404',
  ),
  wrong(
    'a version header that is needed',
    { finish: (reply) => (reply.status < 300 ? { ...error(400, 'which version?'), headers: reply.headers } : reply) },
    'list',
    'create-pending',
  ),
  wrong(
    'a version parameter that is needed for lists',
    {
      finish: (reply, incoming) =>
        reply.status === 200 && method('GET')(reply, incoming) && path(/pets$/)(reply, incoming)
          ? { ...error(400, 'which version?'), headers: reply.headers }
          : reply,
    },
    'list',
  ),
]
