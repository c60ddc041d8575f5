/** What the kit promises about itself: its coverage, its restraint, its discretion, and reports that can be used. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { it } from 'node:test'
import { inspect } from 'node:util'
import {
  CASES,
  CannotStart,
  isRequirement,
  junitReport,
  NoBaseUrl,
  parseBaseUrl,
  runConformance,
  STATEMENTS,
  textReport,
  USER_AGENT,
} from '../../conformance/src/index.ts'
import { EACH_OPERATION, SUITE } from '../../conformance/src/interface.ts'
import { shellNeeded } from '../support/programs.ts'
import { counts, fate, keeps, NO_LIMIT_HEADERS, others, pages, replies, sees } from './servers/mutate.ts'
import { type Change, error, type Incoming, KEY, LIMITED_KEY, startServer, together } from './servers/reference.ts'
import { runKit } from './servers/run-kit.ts'
import { casesOf, WRONG } from './servers/wrong.ts'

const AFTER_REMOVAL_MS = Date.UTC(2030, 11, 5)

/** Answers everything with a status that nothing allows, and repeats the credentials wherever an answer can. */
const echo = replies({}, (_reply, _nowMs, { authorization }) => ({
  status: 418,
  headers: { 'Content-Type': 'text/plain', Location: `/${authorization}`, 'Retry-After': LIMITED_KEY },
  body: `${authorization} <"'&\u0007> ${KEY} ${LIMITED_KEY} ${KEY.slice(0, -1)}`,
}))

it('every statement but O7, which cannot be seen from outside, is cited by a case; ids are unique', () => {
  const cited = new Set(CASES.flatMap(({ cites }) => cites))
  assert.deepEqual(
    Object.keys(STATEMENTS).filter((statement) => !cited.has(statement as keyof typeof STATEMENTS)),
    ['O7'],
  )
  assert.equal(new Set(CASES.map(({ id }) => id)).size, CASES.length)
  assert.ok(CASES.length >= 200)
})

it('what a case rests on is a case that runs before it', () => {
  const before = new Set<string>()
  for (const { id, restsOn = [] } of CASES) {
    for (const other of restsOn) assert(before.has(other), `${id} rests on ${other}, and no such case runs before it`)
    before.add(id)
  }
})

it('the version of the suite is that of its cases and of what they demand: new ones count as its minor number', () => {
  const hashOf = (cases: typeof CASES, before = '') => {
    const demands = cases.map(({ id, title, cites, level = 'core', needs = [] }) => [id, title, cites, level, needs])
    const lines = demands.map((demand) => demand.join('|')).sort()
    return hash('sha256', before + lines.join('\n')).slice(0, 16)
  }
  const [last = '', before] = SUITE.majors.toReversed()
  const grows = `add '${hashOf(CASES, last)}' to majors of SUITE in conformance/src/interface.ts, and empty since`
  let old = CASES
  for (const [ids, its] of Object.entries(SUITE.since)) {
    const group = new Set(ids.split(' '))
    const now = hashOf(old.filter(({ id }) => group.has(id)))
    assert(its === now, its === '' ? `give '${ids}' in SUITE the hash '${now}'` : grows)
    old = old.filter(({ id }) => !group.has(id))
  }
  const what = 'give since of SUITE the ids of new cases; if an old one is gone or demands something else'
  assert(last === hashOf(old, before), `${what}, ${grows}`)
})

/** What they ask is asked before, by a case that then is the finding. */
const NEVER_FIRST: Readonly<Record<string, string>> = {
  'pet-fields': 'create-available reads the same animal',
  'version-path-alone': 'list asks the same',
  'over-limit-reset': 'retry-after-suffices waits for the earlier of both',
  'get-until-removal': 'get; after the removal kit.test.ts',
}

it('each case that can fail is what finds a wrong server', () => {
  const finding = new Set(WRONG.flatMap(casesOf))
  const never = CASES.filter(({ id, cites }) => cites.some(isRequirement) && !finding.has(id)).map(({ id }) => id)
  assert.deepEqual(
    never.sort(),
    Object.keys(NEVER_FIRST).sort(),
    'give servers/wrong.ts a server that each new case finds',
  )
})

it('each operation, and each parameter of its query, is asked for by a case and served', async () => {
  const served = new Set<string>()
  const change = replies({}, ({ status }, _nowMs, { method, path, query }) => {
    const call = `${method} ${path.replace(/^\/v1|\d+$/g, '')}`
    if (status < 300) for (const name of ['', ...query.keys()]) served.add(`${call} ${name}`)
    return {}
  })
  await runKit({ change })
  const calls = EACH_OPERATION.flatMap(({ method, path, query }) =>
    ['', ...query].map((name) => `${method} ${path.replace(/\{\w+\}$/, '')} ${name}`),
  )
  assert.deepEqual(
    calls.filter((call) => !served.has(call)),
    [],
    'give the kit a case that asks for each of these, and servers/reference.ts its answer',
  )
})

it('neither the key nor the address is ever asked for more than its allowance, and refusals are few (R17)', async () => {
  const refused: string[] = []
  let waits = 0
  const report = await runKit({
    change: ({ take }) => ({
      async take(who, ...it) {
        const limit = await take(who, ...it)
        if (limit.isOver) refused.push(who)
        return limit
      },
    }),
    onProgress: ({ kind }) => {
      if (kind === 'wait') waits += 1
    },
  })
  assert.equal(report.verdict, 'passed', textReport(report))
  assert.deepEqual(new Set(refused), new Set(['limited']))
  assert.ok(refused.length <= 25, `${refused.length} refusals`)
  assert.ok(waits > 0)
})

it('without a limited key nothing is exhausted, the 429 cases are not run, and that is not passed (R16)', async () => {
  const report = await runKit({ limitedKey: undefined })
  assert.equal(report.verdict, 'incomplete')
  assert.equal(report.core, 'incomplete')
  const overLimit = report.results.filter(({ section }) => section === '8 Over the limit')
  assert.ok(overLimit.length > 10)
  for (const { outcome, note } of overLimit) {
    assert.equal(outcome, 'not run')
    assert.match(note ?? '', /--limited-key/)
  }
})

it('an allowance that comes back only tomorrow ends the run as incomplete, not as passed or failed', async () => {
  const report = await runKit({
    change: counts((_limit, nowMs) => ({ resetS: (Math.floor(nowMs / 86_400_000) + 1) * 86_400 })),
  })
  assert.equal(report.verdict, 'incomplete')
  assert.equal(report.counts.failed, 0, textReport(report))
  assert.ok(
    report.results.some(({ interrupted, note }) => interrupted && /used up until 2027-01-16T00:00/.test(note ?? '')),
  )
})

it('after its removal getPet is not asked for, and must be gone (R12)', async () => {
  const change = replies({ status: 200, path: /^\/v1\/pets\// }, error(404, 'gone'))
  const report = await runKit({ startMs: AFTER_REMOVAL_MS, change })
  assert.equal(report.verdict, 'passed', textReport(report))
  assert.equal(report.counts['not run'], 0)
  const notApplicable = report.results.filter(({ outcome }) => outcome === 'not applicable')
  assert.ok(notApplicable.length > 10)
  for (const { note } of notApplicable) assert.equal(note, 'getPet was removed on 2030-12-05')

  const still = await runKit({ startMs: AFTER_REMOVAL_MS, only: ['R12'] })
  assert.equal(still.results.find(({ id }) => id === 'get-until-removal')?.failure?.statement, 'R12')
})

it('each animal that a run leaves behind is in the report, also when it was created with the wrong status', async () => {
  const stored = new Set<string>()
  const keep = keeps((pet) => {
    stored.add(String(pet.id))
    return pet
  })
  for (const change of [keep, together(keep, replies({ status: 201 }, { status: 200 }))]) {
    stored.clear()
    const { created } = await runKit({ change })
    assert.deepEqual(new Set(created.animals.map(({ id }) => id)), stored)
    // The empty name, and those that are of digits, the word null, and spaces at both ends.
    assert.ok(created.animals.filter(({ name }) => !name.startsWith(created.namePrefix)).length <= 4)
  }
})

it('a store that holds more animals than a list shows is judged no worse, whatever the order (O5)', async () => {
  const newestFirst = sees((pets) => [...others(150), ...pets])
  const oldestFirst = sees((pets) => [...pets.toReversed(), ...others(150)])
  for (const [change, verdict, thorough] of [
    [newestFirst, 'passed', true],
    [newestFirst, 'passed', false],
    // What was created cannot be seen among the oldest hundred: that is neither passed nor failed.
    [oldestFirst, 'incomplete', true],
  ] as const) {
    const report = await runKit({ change, thorough })
    assert.equal(report.verdict, verdict, textReport(report))
  }
})

it('no key is in any report, also when answers repeat it', async () => {
  const report = await runKit({ change: echo })
  assert.equal(report.verdict, 'failed')
  for (const text of [textReport(report), JSON.stringify(report), junitReport(report)]) {
    assert.ok(text.includes('$KEY'))
    for (const secret of [KEY, LIMITED_KEY, KEY.slice(0, -1)]) assert.ok(!text.includes(secret))
  }
})

it('a failure tells the statement, what was expected, what came, and the request', async () => {
  const report = await runKit({ change: pages((limit) => limit + 1), ids: ['limit-5'] })
  const { failure } = report.results.find(({ id }) => id === 'limit-5') ?? {}
  assert.equal(failure?.statement, 'R7')
  assert.equal(failure.expected, 'a list of at most 5')
  assert.equal(failure.came, 'a list of 6')
  assert.equal(
    failure.request,
    `curl -i "${report.baseUrl}/pets?limit=5" -A "${USER_AGENT}" -H "Accept: application/json" -H "Authorization: Bearer $KEY"`,
  )
  assert.equal(failure.answer?.statusLine, 'HTTP/1.1 200 OK')
  assert.ok(failure.answer.headers.some((line) => line.startsWith('X-RateLimit-Remaining: ')))
  const text = textReport(report)
  for (const part of [failure.sentence, failure.expected, failure.came, failure.request]) assert.ok(text.includes(part))
  assert.match(text, /FAILED/)
})

it(
  'the line that a failure shows sends the very same request, with the key from the environment',
  shellNeeded,
  async () => {
    const received: Incoming[] = []
    const change: Change = replies({}, (_reply, _nowMs, incoming) => {
      received.push(incoming)
      return { status: 418, ...NO_LIMIT_HEADERS }
    })
    const ids = [
      ...['create-name-quotes', 'create-name-unicode', 'refuse-body-empty', 'auth-empty', 'auth-key-cut', 'list'],
      ...['auth-create-without-key', 'auth-basic-user', 'auth-key-other-case', 'delete-list'],
      ...['header-oversized', 'target-oversized', 'client-browser'],
    ]
    const lines: string[] = []
    for (const id of ids) {
      await runKit({
        change,
        ids: [id],
        after: async ({ results }) => {
          lines.push(results[0]?.failure?.request ?? `echo no failure of ${id}`)
        },
      })
    }
    await runKit({
      change,
      ids: ['list'],
      after: async ({ baseUrl }) => {
        const sentByKit = received.map(comparable)
        const here = lines.map((line) => line.replaceAll(/127\.0\.0\.1:\d+/g, new URL(baseUrl).host))
        for (const line of here) {
          received.length = 0
          const output = await shell(line)
          assert.match(output, /HTTP\/1.1 418/, line.slice(0, 1000))
          assert.equal(received.length, 1)
          const [again] = received.map(comparable)
          assert.ok(
            again !== undefined && sentByKit.includes(again),
            `${line.slice(0, 1000)}\nsent ${again?.slice(0, 1000)}`,
          )
        }
      },
    })
  },
)

/** All of a request but for its connection, the order of its headers, and the port of the server that it went to. */
function comparable(incoming: Incoming): string {
  const unlike = ['rawHeaders', 'port', 'isBodyApart', 'target']
  const alike = Object.entries(incoming).filter(([name]) => !unlike.includes(name))
  const text = inspect(alike, { depth: Infinity, maxStringLength: Infinity })
  return text.replaceAll(/127\.0\.0\.1:\d+/g, 'here')
}

async function shell(line: string): Promise<string> {
  const child = spawn('bash', ['-c', line], {
    env: { ...process.env, KEY, LIMITED_KEY },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

it('a run does not begin where a key is refused, and says so', async () => {
  const sentences: string[] = []
  for (const begin of [() => runKit({ key: 'no-such-key' }), () => runKit({ limitedKey: 'no-such-key' })]) {
    await assert.rejects(begin, (thrown) => {
      assert.ok(thrown instanceof CannotStart)
      sentences.push(thrown.message)
      return true
    })
  }
  assert.match(sentences[0] ?? '', /refused with 401.*--key/)
  assert.match(sentences[1] ?? '', /refused with 401.*--limited-key/)
})

it('a base address is http or https and ends in /v1 (R1)', () => {
  for (const good of ['http://127.0.0.1:8080/v1', 'https://pets.example/a/v1/', 'http://[::1]:8080/v1']) {
    assert.ok(parseBaseUrl(good), good)
  }
  const others = 'pets.example/v1 ftp://a/v1 http://a/ http://a/v2 http://a/v1?x=1 http://u@a/v1 http://a/xv1'
  for (const bad of ['', ...others.split(' ')]) assert.throws(() => parseBaseUrl(bad), NoBaseUrl, bad)
})

it('an end that comes during a wait for a limit ends the run at once, without asking the clock again and again', async () => {
  const interrupt = new AbortController()
  let sleeps = 0
  const server = await startServer(Date.now)
  try {
    const report = await runConformance({
      baseUrl: server.baseUrl,
      key: KEY,
      limitedKey: LIMITED_KEY,
      ids: ['retry-after-suffices', 'over-limit-reset'],
      signal: interrupt.signal,
      onProgress: ({ kind }) => kind === 'wait' && interrupt.abort(),
      // As a timer that a signal has ended: no time passes.
      sleep: async () => {
        sleeps += 1
        assert.ok(sleeps < 100, 'it goes on waiting')
      },
    })
    assert.equal(report.verdict, 'incomplete')
    assert.match(report.results[0]?.note ?? '', /interrupted/)
    assert.ok(sleeps <= 1, `${sleeps} waits`)
  } finally {
    await server.close()
  }
})

it('a server that leaves requests without an answer is waited for in full once, and asked for each once', async () => {
  const asked = new Map<string, number>()
  const report = await runKit({
    change: fate('hung', ({ body }) => {
      const isHung = /"(?:lost|SOLD)"/.test(body)
      if (isHung) asked.set(body, (asked.get(body) ?? 0) + 1)
      return isHung
    }),
    ids: ['list', 'refuse-status-unknown', 'refuse-status-upper-case'],
  })
  const waits = report.results.flatMap(({ failure }) => /within ([\d.]+) seconds/.exec(failure?.came ?? '')?.[1] ?? [])
  assert.deepEqual(waits, ['20', '5'], textReport(report))
  assert.deepEqual([...asked.values()], [1, 1])
})

it('the JUnit report has each case once, and no markup but its own', async () => {
  for (const report of [await runKit({ limitedKey: undefined }), await runKit({ change: echo })]) {
    const xml = junitReport(report)
    assert.doesNotMatch(xml, /[^\t\n\r -\uFFFD\u{10000}-\u{10FFFF}]/u)
    assert.doesNotMatch(xml, /&(?!#(?:38|60|62|34|10);)/)
    const open: string[] = []
    // Between tags stands text without angle brackets; within them, attributes in double quotes.
    const rest = xml
      .replace(/^<\?xml [^>]*\?>/, '')
      .replace(/<(\/?)([\w-]+)((?: [\w-]+="[^"<>]*")*)(\/?)>/g, (_all, closing, name, _attributes, empty) => {
        if (closing) assert.equal(open.pop(), name)
        else if (!empty) open.push(name)
        return ''
      })
    assert.deepEqual(open, [])
    assert.doesNotMatch(rest, /[<>]/)
    assert.equal(count(xml, '<testcase '), report.results.length)
    assert.equal(count(xml, '<failure '), report.counts.failed)
    assert.equal(count(xml, '<skipped '), report.counts['not run'])
  }
})

function count(text: string, part: string): number {
  return text.split(part).length - 1
}
