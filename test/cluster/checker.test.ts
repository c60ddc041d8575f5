/** The checker finds what it should: histories with one planted fault each, and histories that it must accept. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NOTHING_WAS_STORED } from './allowance.ts'
import { check, INVARIANTS } from './checker.ts'
import type { Answer, Entry, Fault, Operation, Setup } from './history.ts'

const NOON = Date.UTC(2026, 10, 21, 12)
const SETUP: Setup = { type: 'setup', mode: 'synchronous', keys: { wide: { perMinute: 100, perDay: 1_000 } } }

let number = 0
/** `at`: seconds after noon. */
function operation(
  at: number,
  question: Operation['question'],
  answer: Partial<Answer> | undefined,
  more = {},
): Operation {
  number += 1
  const startMs = NOON + at * 1_000
  return {
    type: 'operation',
    client: 'c',
    number,
    via: 'node1',
    key: 'wide',
    question,
    startMs,
    endMs: startMs + 10,
    answer: answer && { status: 200, animals: [], hasHeaders: true, ...answer },
    ...more,
  }
}

function create(at: number, id: number, name = `n${id}`, more = {}): Operation {
  return operation(at, { create: name, isValid: true }, { status: 201, animals: [{ id, name }] }, more)
}

function get(at: number, id: number, found = true, more = {}): Operation {
  const answer = found ? { animals: [{ id, name: `n${id}` }] } : { status: 404 }
  return operation(at, { get: id }, answer, more)
}

function list(at: number, limit: number, ids: readonly number[]): Operation {
  return operation(at, { list: limit }, { animals: ids.map((id) => ({ id, name: `n${id}` })) })
}

function fault(verb: Fault['verb'], target: Fault['target'], from: number, to: number, on = 'node1'): Fault {
  return { type: 'fault', verb, target, on, startMs: NOON + from * 1_000, endMs: NOON + to * 1_000 }
}

function final(...ids: readonly number[]): Entry {
  return { type: 'final', animals: ids.map((id) => ({ id, name: `n${id}` })) }
}

function asked(times: number, at: number, status = 200, via: Operation['via'] = 'node1'): Operation[] {
  return Array.from({ length: times }, (_, n) => operation(at + n / 1_000, { list: 1 }, { status }, { via }))
}

const alone = (node: 'node1' | 'node2', from: number, to: number, life = 1): Entry => ({
  type: 'alone',
  node,
  life,
  startMs: NOON + from * 1_000,
  endMs: NOON + to * 1_000,
})

const ASYNCHRONOUS: Setup = { ...SETUP, mode: 'asynchronous' }
const CLEAN = [SETUP, create(0, 1), create(1, 2), get(2, 1), list(2, 100, [2, 1]), final(1, 2)]

const PLANTED: readonly (readonly [what: string, invariant: string, history: readonly Entry[]])[] = [
  [
    'an acknowledged animal that is gone',
    'every acknowledged animal is there once under its id',
    [SETUP, create(0, 1), final()],
  ],
  [
    'an acknowledged animal under another id',
    'every acknowledged animal is there once under its id',
    [SETUP, create(0, 1, 'n2'), final(2)],
  ],
  [
    'an animal that is stored twice',
    'every acknowledged animal is there once under its id',
    [
      SETUP,
      create(0, 1),
      {
        type: 'final',
        animals: [
          { id: 1, name: 'n1' },
          { id: 2, name: 'n1' },
        ],
      },
    ],
  ],
  [
    'an animal lost with a leader in spite of synchronous replication',
    'every acknowledged animal is there once under its id',
    [SETUP, create(0, 1), fault('kill', 'leader', 1, 30), final()],
  ],
  [
    'an animal lost long before the leader of an asynchronous cluster',
    'every acknowledged animal is there once under its id',
    [ASYNCHRONOUS, create(0, 1), fault('kill', 'leader', 30, 60), final()],
  ],
  ['an id given to two animals', 'no id is given twice', [SETUP, create(0, 1), create(1, 1), final(1)]],
  [
    'an id stored twice',
    'no id is given twice',
    [
      SETUP,
      {
        type: 'final',
        animals: [
          { id: 1, name: 'a' },
          { id: 1, name: 'b' },
        ],
      },
    ],
  ],
  [
    'a get of an acknowledged animal that finds nothing',
    'every read shows what was acknowledged before it',
    [SETUP, create(0, 1), get(1, 1, false), final(1)],
  ],
  [
    'a full list that skips an animal',
    'every read shows what was acknowledged before it',
    [SETUP, ...[1, 2, 3].map((id) => create(0, id)), list(1, 2, [3, 1]), final(1, 2, 3)],
  ],
  [
    'a list older than an animal',
    'every read shows what was acknowledged before it',
    [SETUP, create(0, 1), create(1, 2), list(2, 2, [1]), final(1, 2)],
  ],
  [
    'a read of an old leader after synchronous replication failed over',
    'every read shows what was acknowledged before it',
    [SETUP, create(0, 1), fault('stop', 'leader', 1, 30), get(20, 1, false), final(1)],
  ],
  [
    'a minute admitted once too often',
    'no key is admitted more often than its limits allow',
    [SETUP, ...asked(101, 1), final()],
  ],
  [
    'a day admitted once too often',
    'no key is admitted more often than its limits allow',
    [SETUP, ...Array.from({ length: 13 }, (_, n) => asked(77, n * 60)).flat(), final()],
  ],
  [
    'a node that counted alone and admitted more than its share',
    'no key is admitted more often than its limits allow',
    [SETUP, ...asked(101, 1), alone('node1', 0, 2), final()],
  ],
  [
    'shared counters that admitted more than their limit while a node counted alone',
    'no key is admitted more often than its limits allow',
    [SETUP, ...asked(101, 1, 200, 'node2'), alone('node1', 0, 2), final()],
  ],
  [
    'more than all counters may admit together, by counters that are not known',
    'no key is admitted more often than its limits allow',
    [SETUP, ...asked(201, 1, 200, 'nginx'), alone('node1', 0, 2), final()],
  ],
  [
    'a node that counted alone in another minute',
    'no key is admitted more often than its limits allow',
    [SETUP, ...asked(101, 61), alone('node1', 0, 2), final()],
  ],
  [
    'counts forgotten that a lost master can not have forgotten',
    'no key is admitted more often than its limits allow',
    [SETUP, ...asked(100, 1), fault('kill', 'redis master', 10, 15, 'redis'), ...asked(1, 20), final()],
  ],
  [
    'counts forgotten by a Redis master that was only slow',
    'no key is admitted more often than its limits allow',
    [SETUP, ...asked(100, 9.5), fault('slow', 'redis master', 10, 15, 'redis'), ...asked(1, 20), final()],
  ],
  [
    'a create refused with 429 that is stored',
    'nothing that was refused is stored',
    [SETUP, operation(0, { create: 'n1', isValid: true }, { status: 429 }), final(1)],
  ],
  [
    'a create refused with a 503 that promised that nothing was stored',
    'nothing that was refused is stored',
    [
      SETUP,
      operation(0, { create: 'n1', isValid: true }, { status: 503, message: String(NOTHING_WAS_STORED[0]) }),
      final(1),
    ],
  ],
  [
    'an invalid body that is accepted',
    'nothing that was refused is stored',
    [SETUP, operation(0, { create: 'n1', isValid: false }, { status: 201 }), final(1)],
  ],
  [
    'an answer after 2.2 s',
    'every request is answered, and in time',
    [SETUP, get(0, 1, false, { endMs: NOON + 5_100 }), final()],
  ],
  [
    'an answer of nginx after 3.2 s',
    'every request is answered, and in time',
    [SETUP, get(0, 1, false, { via: 'nginx', endMs: NOON + 6_100 }), final()],
  ],
  ['no answer', 'every request is answered, and in time', [SETUP, operation(0, { get: 1 }, undefined), final()]],
  [
    'no answer of a node while another is gone',
    'every request is answered, and in time',
    [SETUP, fault('kill', 'node', 0, 5, 'node2'), operation(1, { get: 1 }, undefined), final()],
  ],
  [
    'an answer without a limit header',
    'every answer carries the limit headers',
    [SETUP, operation(0, { get: 1 }, { hasHeaders: false }), final()],
  ],
]

const ALLOWED: readonly (readonly [what: string, history: readonly Entry[]])[] = [
  ['a history without a fault', CLEAN],
  [
    'a 503 that cannot say, whose animal was stored',
    [SETUP, operation(0, { create: 'n1', isValid: true }, { status: 503 }), final(1)],
  ],
  [
    'a request without an answer whose animal was stored',
    [SETUP, fault('kill', 'node', 0, 5), operation(0, { create: 'n1', isValid: true }, undefined), final(1)],
  ],
  ['a read under way while an animal was acknowledged', [SETUP, create(0, 1), get(0.005, 1, false), final(1)]],
  [
    'a full list of newer animals',
    [SETUP, ...[1, 2, 3].map((id) => create(0, id)), list(1, 2, [3, 2]), final(1, 2, 3)],
  ],
  [
    'what an asynchronous leader took with it, its id given again',
    [
      ASYNCHRONOUS,
      create(0, 1),
      fault('kill', 'leader', 1, 30),
      get(20, 1, false),
      create(40, 1, 'other'),
      { type: 'final', animals: [{ id: 1, name: 'other' }] },
    ],
  ],
  [
    'a limit for each of two nodes that counted alone, beside the shared one',
    [
      SETUP,
      ...(['node1', 'node2', 'node3'] as const).flatMap((via) => asked(100, 1, 200, via)),
      ...[alone('node1', 0, 2), alone('node2', 0, 2)],
      final(),
    ],
  ],
  [
    'a limit for each life of a node that counted alone',
    [
      SETUP,
      ...[1, 3.5, 10].flatMap((at) => asked(100, at)),
      ...[alone('node1', 0, 2, 1), alone('node1', 3, 4, 2)],
      final(),
    ],
  ],
  [
    'requests of which it can not be said whether a node counted them alone',
    [SETUP, ...asked(100, 1), ...asked(60, 1.98), alone('node1', 0, 2), final()],
  ],
  [
    'counts of the last second of a lost Redis master',
    [SETUP, ...asked(100, 9.5), fault('kill', 'redis master', 10, 15, 'redis'), ...asked(100, 20), final()],
  ],
  ['refusals and 503 over the limit', [SETUP, ...asked(100, 1), ...asked(50, 2, 429), ...asked(50, 3, 503), final()]],
  ['requests across the edge of a minute', [SETUP, ...asked(100, 1), get(59.995, 1, false), final()]],
  [
    'no answer of a node that is stopped',
    [SETUP, fault('stop', 'node', 0, 5), operation(1, { get: 1 }, undefined), final()],
  ],
  [
    'a late answer read late by the client',
    [
      SETUP,
      { type: 'pause', startMs: NOON + 100, endMs: NOON + 900 },
      get(0, 1, false, { endMs: NOON + 5_600 }),
      final(),
    ],
  ],
]

describe('the checker', () => {
  for (const [what, invariant, history] of PLANTED) {
    it(`finds ${what}`, () => {
      assert.deepEqual([...new Set(check(history).map((violation) => violation.invariant))], [invariant])
    })
  }

  for (const [what, history] of ALLOWED) {
    it(`lets pass ${what}`, () => assert.deepEqual(check(history), []))
  }

  it('has a planted fault for each invariant', () => {
    assert.deepEqual(
      Object.keys(INVARIANTS).filter((invariant) => !PLANTED.some(([, planted]) => planted === invariant)),
      [],
    )
  })
})
