/** What the kit promises about itself: its coverage, its restraint, its discretion, and reports that can be used. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import {
  CASES,
  CannotStart,
  isRequirement,
  NoBaseUrl,
  parseBaseUrl,
  STATEMENTS,
  textReport,
} from '../../conformance/src/index.ts'
import { EACH_OPERATION } from '../../conformance/src/interface.ts'
import { shellNeeded } from '../support/programs.ts'
import { counts, isFetch, NO_LIMITS, reads, replies, selects } from './servers/changes.ts'
import { error, type Incoming, KEY, LIMITED_KEY } from './servers/reference.ts'
import { failedIn, runKit } from './servers/run-kit.ts'
import { WRONG } from './servers/wrong.ts'

const AFTER_REMOVAL_MS = Date.UTC(2030, 11, 5)

it('every statement except O7, which cannot be seen from outside, is cited by a case; ids are unique', () => {
  const cited = new Set(CASES.flatMap(({ cites }) => cites))
  const missing = Object.keys(STATEMENTS).filter((statement) => !cited.has(statement as keyof typeof STATEMENTS))
  assert.deepEqual(missing, ['O7'])
  assert.equal(new Set(CASES.map(({ id }) => id)).size, CASES.length)
})

it('what a case rests on is a case that runs before it', () => {
  const before = new Set<string>()
  for (const { id, restsOn = [] } of CASES) {
    for (const other of restsOn) assert(before.has(other), `${id} rests on ${other}, and no such case runs before it`)
    before.add(id)
  }
})

it('at most 40 wrong servers find a fault in each group of cases that can fail', () => {
  assert(WRONG.length <= 40)
  const finding = new Set(WRONG.flatMap(([, , foundBy]) => foundBy.split(' ')))
  const statements = new Set(CASES.filter(({ id }) => finding.has(id)).flatMap(({ cites }) => cites))
  const never = Object.keys(STATEMENTS).filter((name) => isRequirement(name as 'R1') && !statements.has(name as 'R1'))
  assert.deepEqual(never, ['R12'], 'R12 has its test below')
})

it('each operation, and each parameter of its query, is asked for and served', async () => {
  const served = new Set<string>()
  const change = replies(
    (_, { status }) => status < 300,
    (_reply, _nowMs, { method, path, query }) => {
      for (const name of ['', ...query.keys()]) served.add(`${method} ${path.replace(/^\/v1|-?\d+$/g, '')} ${name}`)
      return {}
    },
  )
  await runKit({ change })
  const calls = EACH_OPERATION.flatMap(({ method, path, query }) =>
    ['', ...query].map((name) => `${method} ${path.replace(/\{\w+\}$/, '')} ${name}`),
  )
  assert.deepEqual(
    calls.filter((call) => !served.has(call)),
    [],
  )
})

it('neither the key nor the address is asked for more than its allowance, and refusals are few (R17)', async () => {
  const refused: string[] = []
  const change = counts(({ isOver }, who) => {
    if (isOver) refused.push(who)
    return {}
  })
  const report = await runKit({ change })
  assert.equal(report.verdict, 'passed', textReport(report))
  assert.deepEqual(new Set(refused), new Set(['limited']))
  assert(refused.length <= 20, `${refused.length} refusals`)
})

it('without a limited key the 429 cases are not run, and that is not passed (R16)', async () => {
  const { verdict, core, results } = await runKit({ limitedKey: undefined })
  assert.deepEqual([verdict, core], ['incomplete', 'incomplete'])
  const notes = results.filter(({ id }) => id.startsWith('over-limit')).map(({ note }) => note)
  assert(notes.length > 5 && notes.every((note) => note?.includes('--limited-key')))
})

it('an allowance that comes back only tomorrow makes a run incomplete, not passed or failed', async () => {
  const change = counts((_, who, nowMs) => {
    return who === 'key' ? { resetS: (Math.floor(nowMs / 86_400_000) + 1) * 86_400 } : {}
  })
  const report = await runKit({ change })
  assert.deepEqual([report.verdict, report.counts.failed], ['incomplete', 0], textReport(report))
  assert(report.results.some(({ note }) => /used up until 2027-01-16T00:00/.test(note ?? '')))
})

it('after its removal getPet is not asked for, and must be gone (R12)', async () => {
  const gone = await runKit({ startMs: AFTER_REMOVAL_MS, change: replies(isFetch, error(404, 'gone')) })
  assert.equal(gone.verdict, 'passed', textReport(gone))
  assert.deepEqual(failedIn(await runKit({ startMs: AFTER_REMOVAL_MS, only: ['R12'] })), ['get-until-removal'])
})

it('whatever a server accepts, at most 16 animals are left behind, and each is in the report', async () => {
  const report = await runKit({
    change: reads(({ method }) => (method === 'POST' ? { body: '{"name":"x","categoryId":1}' } : {})),
  })
  assert.equal(report.verdict, 'failed')
  assert.equal(report.created.animals.length, 16)
})

it('no key is in any report, even if answers repeat it', async () => {
  const change = replies(
    () => true,
    (_reply, _nowMs, { authorization }) => ({
      status: 418,
      headers: { 'Content-Type': 'text/plain', Location: `/${authorization}` },
      body: `${authorization} <"'&\u0007> ${KEY} ${LIMITED_KEY} ${KEY.slice(0, -1)}`,
    }),
  )
  const report = await runKit({ change })
  assert.equal(report.verdict, 'failed')
  for (const text of [textReport(report), JSON.stringify(report)]) {
    assert(text.includes('$KEY'))
    for (const secret of [KEY, LIMITED_KEY, KEY.slice(0, -1)]) assert(!text.includes(secret))
  }
})

it('a failure names the statement, what was expected, what came, and the request', async () => {
  const change = selects((select, pets, query) => select(pets, { ...query, limit: query.limit + 1 }))
  const report = await runKit({ change, only: ['limit-1', 'list-as-created'] })
  const { failure } = report.results.find(({ id }) => id === 'limit-1') ?? {}
  assert.deepEqual([failure?.statement, failure?.expected, failure?.came], ['R7', 'at most 1 animals', '2 animals'])
  assert.match(failure?.request ?? '', /^curl -i -X GET "http:\S+\/pets\?limit=1" .* -H "Authorization: Bearer \$KEY"$/)
  assert.equal(failure?.answer?.status, 200)
  const text = textReport(report)
  for (const part of [failure?.sentence, failure?.expected, failure?.request]) assert(text.includes(part ?? '-'))
})

it('the line of a failure sends the very same request, with the key from the environment', shellNeeded, async () => {
  const received: string[] = []
  const change = replies(
    () => true,
    (_reply, _nowMs, { query, ...incoming }: Incoming) => {
      received.push(JSON.stringify({ ...incoming, query: [...query] }))
      return { status: 418, headers: NO_LIMITS }
    },
  )
  for (const only of [
    'create-name',
    'refuse-body-empty',
    'auth-empty',
    'auth-key-cut',
    'list',
    'every-limit-headers-strict',
  ]) {
    await runKit({
      change,
      only: only.startsWith('every') ? [only, 'header-large'] : [only],
      after: async ({ results }) => {
        const line = results.find(({ failure }) => failure)?.failure?.request ?? 'false'
        const sent = new Set(received)
        received.length = 0
        const env = { ...process.env, KEY, LIMITED_KEY }
        const { stdout } = await promisify(execFile)('bash', ['-c', line], { env })
        assert.match(stdout, /HTTP\/1.1 4/, line.slice(0, 1_000))
        assert(sent.has(received[0] ?? ''), `${line.slice(0, 1_000)}\nsent ${received}`)
      },
    })
  }
})

it('a run does not begin if a key is refused, and says so', async () => {
  for (const [keys, option] of [
    [{ key: 'no-such-key' }, /refused with 401.*--key/],
    [{ limitedKey: 'no-such-key' }, /refused with 401.*--limited-key/],
  ] as const) {
    await assert.rejects(runKit(keys), (thrown) => thrown instanceof CannotStart && option.test(thrown.message))
  }
})

it('a base address is http or https and ends in /v1 (R1)', () => {
  for (const good of ['http://127.0.0.1:8080/v1', 'https://pets.example/a/v1/', 'http://[::1]:8080/v1'])
    assert(parseBaseUrl(good))
  for (const bad of [
    '',
    ...'pets.example/v1 ftp://a/v1 http://a/ http://a/v2 http://a/v1?x=1 http://u@a/v1'.split(' '),
  ])
    assert.throws(() => parseBaseUrl(bad), NoBaseUrl, bad)
})

it('an interrupt ends a run, also during a wait', async () => {
  const interrupt = new AbortController()
  const onProgress = (sentence: string) => sentence.startsWith('waiting') && interrupt.abort()
  const { results, verdict } = await runKit({ signal: interrupt.signal, onProgress })
  assert.equal(verdict, 'incomplete')
  assert(results.some(({ note }) => note === 'the run was interrupted'))
})
