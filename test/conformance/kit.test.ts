/** What the kit promises about itself: its coverage, its restraint, its discretion, and reports that can be used. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { CASES, CannotStart, isRequirement, parseBaseUrl, STATEMENTS, textReport } from '../../conformance/src/index.ts'
import { shellNeeded } from '../support/programs.ts'
import { counts, isFetch, NO_LIMITS, reads, replies, selects } from './servers/changes.ts'
import { error, type Incoming, KEY, LIMITED_KEY } from './servers/reference.ts'
import { failedIn, runKit } from './servers/run-kit.ts'
import { WRONG } from './servers/wrong.ts'

const AFTER_REMOVAL_MS = Date.UTC(2030, 11, 5)

describe('the conformance kit', () => {
  it('cites every statement except O7, which cannot be seen from outside', () => {
    const cited = new Set(CASES.flatMap(({ cites }) => cites))
    const missing = STATEMENTS.filter((statement) => !cited.has(statement))
    assert.deepEqual(missing, ['O7'])
    assert.equal(new Set(CASES.map(({ id }) => id)).size, CASES.length)
  })

  it('runs a case after the cases that it rests on', () => {
    const before = new Set<string>()
    for (const { id, restsOn = [] } of CASES) {
      for (const other of restsOn) assert(before.has(other), `${id} rests on ${other}, and no such case runs before it`)
      before.add(id)
    }
  })

  it('has at most 40 wrong servers, which break each requirement', () => {
    assert(WRONG.length <= 40)
    const finding = new Set(WRONG.flatMap(([, , foundBy]) => foundBy.split(' ')))
    const statements = new Set(CASES.filter(({ id }) => finding.has(id)).flatMap(({ cites }) => cites))
    const never = STATEMENTS.filter((name) => isRequirement(name) && !statements.has(name as 'R1'))
    assert.deepEqual(never, ['R12'], 'R12 has its test below')
  })

  it('stays within the limits of key and address, and causes few refusals (R17)', async () => {
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

  it('is incomplete without a limited key, because the 429 cases are not run (R16)', async () => {
    const { verdict, core, results } = await runKit({ limitedKey: undefined })
    assert.deepEqual([verdict, core], ['incomplete', 'incomplete'])
    const notes = results.filter(({ id }) => id.startsWith('over-limit')).map(({ note }) => note)
    assert(notes.length > 5 && notes.every((note) => note?.includes('--limited-key')))
  })

  it('is incomplete if a limit resets only tomorrow', async () => {
    const change = counts((_, who, nowMs) => {
      return who === 'key' ? { resetS: (Math.floor(nowMs / 86_400_000) + 1) * 86_400 } : {}
    })
    const report = await runKit({ change })
    assert.deepEqual([report.verdict, report.counts.failed], ['incomplete', 0], textReport(report))
    assert(report.results.some(({ note }) => /no requests left until 2027-01-16T00:00/.test(note ?? '')))
  })

  it('expects getPet to be gone after its removal (R12)', async () => {
    const gone = await runKit({ startMs: AFTER_REMOVAL_MS, change: replies(isFetch, error(404, 'gone')) })
    assert.equal(gone.verdict, 'passed', textReport(gone))
    assert.deepEqual(failedIn(await runKit({ startMs: AFTER_REMOVAL_MS, only: ['R12'] })), ['get-until-removal'])
  })

  it('leaves at most 16 animals behind, and reports each', async () => {
    const report = await runKit({
      change: reads(({ method }) => (method === 'POST' ? { body: '{"name":"x","categoryId":1}' } : {})),
    })
    assert.equal(report.verdict, 'failed')
    assert.equal(report.created.animals.length, 16)
  })

  it('reports no key, even if responses repeat it', async () => {
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

  it('reports the statement, the expected and the actual response, and the request of a failure', async () => {
    const change = selects((select, pets, query) => select(pets, { ...query, limit: query.limit + 1 }))
    const report = await runKit({ change, only: ['limit-1', 'list-as-created'] })
    const { failure } = report.results.find(({ id }) => id === 'limit-1') ?? {}
    assert.deepEqual([failure?.statement, failure?.expected, failure?.came], ['R7', 'at most 1 animals', '2 animals'])
    assert.match(
      failure?.request ?? '',
      /^curl -i -X GET "http:\S+\/pets\?limit=1" .* -H "Authorization: Bearer \$KEY"$/,
    )
    assert.equal(failure?.answer?.status, 200)
    const text = textReport(report)
    for (const part of [failure?.sentence, failure?.expected, failure?.request]) assert(text.includes(part ?? '-'))
  })

  it('prints a command that sends the failed request again', shellNeeded, async () => {
    const received: string[] = []
    const change = replies(
      () => true,
      (_reply, _nowMs, { query, ...incoming }: Incoming) => {
        received.push(JSON.stringify({ ...incoming, query: [...query] }))
        return { status: 418, headers: NO_LIMITS }
      },
    )
    for (const only of 'create-name refuse-body-empty auth-empty auth-key-cut list'.split(' ')) {
      await runKit({
        change,
        only: [only],
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

  it('does not start if a key is refused', async () => {
    for (const [keys, option] of [
      [{ key: 'no-such-key' }, /refused with 401.*--key/],
      [{ limitedKey: 'no-such-key' }, /refused with 401.*--limited-key/],
    ] as const) {
      await assert.rejects(runKit(keys), (thrown) => thrown instanceof CannotStart && option.test(thrown.message))
    }
  })

  it('accepts base addresses with http or https that end in /v1 (R1)', () => {
    for (const good of ['http://127.0.0.1:8080/v1', 'https://pets.example/a/v1/', 'http://[::1]:8080/v1'])
      assert(parseBaseUrl(good))
    for (const bad of ' pets.example/v1 ftp://a/v1 http://a/ http://a/v2 http://a/v1?x=1 http://u@a/v1'.split(' '))
      assert.throws(() => parseBaseUrl(bad), CannotStart, bad)
  })

  it('ends when interrupted during a wait', async () => {
    const interrupt = new AbortController()
    const onProgress = (sentence: string) => sentence.startsWith('waiting') && interrupt.abort()
    const { results, verdict } = await runKit({ signal: interrupt.signal, onProgress })
    assert.equal(verdict, 'incomplete')
    assert(results.some(({ note }) => note === 'the run was interrupted'))
  })
})
