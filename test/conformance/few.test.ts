/** A run against somebody's real service leaves few traces, says which before, and tells one cause once. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { htmlReport, junitReport, type Progress, textReport } from '../../conformance/src/index.ts'
import {
  accepts,
  NO_LIMIT_HEADERS,
  others,
  pages,
  query,
  readsBody,
  refusing,
  renames,
  replies,
  rounded,
  sees,
  shows,
  TRIMMED,
} from './servers/mutate.ts'
import { type Change, together } from './servers/reference.ts'
import { failedIn, runKit } from './servers/run-kit.ts'

const FEW = 5

it('before the first case a run tells its requests, its time and its animals, and a right server sees no more of any', async () => {
  for (const thorough of [false, true]) {
    const told: Progress[] = []
    const report = await runKit({ thorough, limitedKey: undefined, onProgress: (event) => told.push(event) })
    const [plan] = told
    assert.ok(plan?.kind === 'plan')
    assert.ok(Math.abs(plan.requests - report.requests) <= 0.05 * report.requests, `${report.requests} requests`)
    const tookS = (Date.parse(report.endedAt) - Date.parse(report.startedAt)) / 1000
    assert.ok(Math.abs(plan.seconds - tookS) <= 30, `${plan.seconds} s told, ${tookS} s taken`)
    assert.ok(report.created.animals.length <= plan.mostAnimals, `${report.created.animals.length} animals`)
    assert.equal(plan.mostAnimals === FEW, !thorough)
    assert.equal(plan.namePrefix, report.created.namePrefix)
    assert.equal(report.leftOut > 0, !thorough)
    assert.equal(report.counts.failed, 0, textReport(report))
  }
})

it('whatever a server takes, at most five animals are left behind', async () => {
  const takesAnything = readsBody(() => '{"name":"any","categoryId":1,"status":"sold"}')
  for (const change of [
    takesAnything,
    together(
      takesAnything,
      accepts(() => true),
    ),
  ]) {
    const report = await runKit({ thorough: false, change })
    assert.equal(report.created.animals.length, FEW)
    assert.equal(report.verdict, 'failed')
    assert.ok(report.results.some(({ note }) => note?.includes('5 animals are left behind already')))
  }
})

it('a store with few animals passes too: a list that is shorter than its limit holds all of them', async () => {
  const report = await runKit({ thorough: false })
  assert.equal(report.verdict, 'passed', textReport(report))
  assert.equal((await runKit({ thorough: false, change: sees((pets) => pets.slice(1)) })).verdict, 'failed')
  const capped = await runKit({ thorough: false, change: pages((limit) => Math.min(limit, 3)) })
  assert.ok(capped.results.some(({ id, outcome }) => id === 'list-shows-created' && outcome === 'passed'))
  assert.ok(failedIn(capped).includes('limit-5'))
})

it('a short run finds a fault by one case, with few animals and one name, and blames no one who refuses that name', async () => {
  for (const [change, found] of [
    [shows((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) })), ['int64-above-double']],
    [query((params) => params.get('limit') === '100' && params.set('limit', 'none')), ['limit-100']],
    [renames((name) => name.trim()), ['create-name-unicode']],
    [renames((name) => name.normalize()), ['create-name-unicode']],
    [TRIMMED, ['list-shows-as-created']],
    [refusing(/"name":"[^"]*[^\x20-\x7e]/), []],
  ] as const) {
    const report = await runKit({ thorough: false, skip: ['create-large-body'], change })
    assert.deepEqual(failedIn(report), found)
    assert.equal(report.verdict, found.length > 0 ? 'failed' : 'passed', textReport(report))
  }
})

it('what a short run could not ask is not passed: its verdict tells how much it asked', async () => {
  const holding = (count: number, most: number, link?: string): Change =>
    together(
      pages((limit) => Math.min(limit, most)),
      sees((pets) => [...others(count), ...pets]),
      replies({}, { headers: { Link: link } }),
    )
  const outcomesOf = async (change?: Change) => {
    const report = await runKit({
      ...(change && { change }),
      thorough: false,
      ids: ['list-shows-created', 'limit-1', 'limit-64', 'limit-100', 'limit-default'],
    })
    return [report.verdict, ...report.results.map(({ outcome }) => outcome)]
  }
  const unasked = ['passed', 'passed', 'passed', 'not run', 'not run', 'not run']
  assert.deepEqual(await outcomesOf(), unasked)
  assert.deepEqual(await outcomesOf(holding(286, 100)), ['passed', 'passed', 'passed', 'passed', 'passed', 'passed'])
  // Lists of each status tell that there are more, and so does a link.
  const capped = ['failed', 'passed', 'passed', 'failed', 'not run', 'passed']
  assert.deepEqual(await outcomesOf(holding(286, 50)), capped)
  assert.deepEqual(await outcomesOf(holding(0, 3, '</v1/pets?cursor=1>; rel="next"')), [
    'failed',
    'passed',
    'passed',
    'failed',
    'not run',
    'not run',
  ])

  const { asked, ...report } = await runKit({ thorough: false })
  assert(asked.cases < asked.of && asked.cases === report.counts.passed)
  assert.match(
    textReport({ asked, ...report }),
    new RegExp(`PASSED: .* in what was asked, ${asked.cases} of ${asked.of} cases`),
  )
})

it('what was not judged names its finding, in every report', async () => {
  const report = await runKit({ change: replies({}, NO_LIMIT_HEADERS) })
  const failed = failedIn(report)
  const resting = report.results.filter(({ restsOn }) => restsOn !== undefined)
  assert.ok(resting.length > 10, `${resting.length}`)
  for (const { restsOn = '', note } of resting) {
    assert.ok(failed.includes(restsOn), `${restsOn} has not failed`)
    assert.equal(note, `not judged because of ${restsOn}`)
  }
  // What looks back has seen the same mistake, and does not call it passed.
  assert.ok(resting.some(({ id }) => id === 'every-answer-limit-headers'))
  const sentence = `not judged because of ${failed[0]}`
  for (const text of [textReport(report), htmlReport(report), junitReport(report)]) assert.ok(text.includes(sentence))
})
