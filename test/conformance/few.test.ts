/** A run against somebody's real service leaves few traces, says which before, and tells one cause once. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { htmlReport, junitReport, type Progress, textReport } from '../../conformance/src/index.ts'
import { type Pet, PetStatus } from '../../src/contract/schemas.ts'
import { refusing, renames, rounded, shows } from './servers/mutate.ts'
import { type Behaviour, CORRECT } from './servers/reference.ts'
import { runKit } from './servers/run-kit.ts'

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
  const takesAnything: Partial<Behaviour> = {
    readNewPet: () => ({ value: { name: 'any', categoryId: 1n, status: 'sold' } }),
  }
  const servers: readonly Partial<Behaviour>[] = [takesAnything, { ...takesAnything, whose: () => 'key' }]
  for (const change of servers) {
    const report = await runKit({ thorough: false, change })
    assert.equal(report.created.animals.length, FEW)
    assert.equal(report.verdict, 'failed')
    assert.ok(report.results.some(({ note }) => note?.includes('5 animals are left behind already')))
  }
})

it('a store with few animals passes too: a list that is shorter than its limit holds all of them', async () => {
  const report = await runKit({ thorough: false })
  assert.equal(report.verdict, 'passed', textReport(report))
  const short = {
    select: (pets, query, nowMs) => CORRECT.select(pets.slice(1), query, nowMs),
  } satisfies Partial<Behaviour>
  assert.equal((await runKit({ thorough: false, change: short })).verdict, 'failed')
  const onePage: Partial<Behaviour> = {
    select: (pets, query, nowMs) => CORRECT.select(pets, { ...query, limit: Math.min(query.limit, 3) }, nowMs),
  }
  const { results } = await runKit({ thorough: false, change: onePage })
  assert.ok(results.some(({ id, outcome }) => id === 'list-shows-created' && outcome === 'passed'))
  assert.ok(results.some(({ id, outcome }) => id === 'limit-5' && outcome === 'failed'))
})

it('with few animals an int64 that is rounded and a limit that is not kept are found all the same', async () => {
  const roundedInt64s = shows((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) }))
  const noLargePages: Partial<Behaviour> = {
    readQuery: (params) => (params.get('limit') === '100' ? { problems: ['limit'] } : CORRECT.readQuery(params)),
  }
  for (const [change, id] of [
    [roundedInt64s, 'int64-above-double'],
    [noLargePages, 'limit-100'],
  ] as const) {
    const { results } = await runKit({ thorough: false, change })
    assert.deepEqual(
      results.filter(({ outcome }) => outcome === 'failed').map((failed) => failed.id),
      [id],
    )
  }
})

it('what a short run could not ask is not passed: its verdict tells how much it asked', async () => {
  const others = (count: number): readonly Pet[] =>
    Array.from({ length: count }, (_, i) => ({
      id: BigInt(-i - 1),
      name: 'other',
      categoryId: 1n,
      status: PetStatus.enum[i % 3] ?? 'sold',
    }))
  const holding = (count: number, most: number, link?: string): Partial<Behaviour> => ({
    select: (pets, query, nowMs) =>
      CORRECT.select([...others(count), ...pets], { ...query, limit: Math.min(query.limit, most) }, nowMs),
    finish: (reply) => (link ? { ...reply, headers: { ...reply.headers, Link: link } } : reply),
  })
  const outcomesOf = async (change: Partial<Behaviour>) => {
    const report = await runKit({
      thorough: false,
      change,
      ids: ['list-shows-created', 'limit-1', 'limit-64', 'limit-100', 'limit-default'],
    })
    return [report.verdict, ...report.results.map(({ outcome }) => outcome)]
  }
  const unasked = ['passed', 'passed', 'passed', 'not run', 'not run', 'not run']
  assert.deepEqual(await outcomesOf({}), unasked)
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

it('a short run sends a name that is easily changed, and no one is blamed who refuses it', async () => {
  const short = { thorough: false, skip: ['create-large-body'] }
  const changes: [change: (name: string) => string, id: string][] = [
    [(name) => name.trim(), 'create-name-unicode'],
    [(name) => name.normalize(), 'create-name-unicode'],
  ]
  for (const [change, id] of changes) {
    const { results } = await runKit({ ...short, change: renames(change) })
    assert.deepEqual(
      results.flatMap((each) => (each.outcome === 'failed' ? [each.id] : [])),
      [id],
    )
  }
  const trimmedWhenRead = shows((pet, { method }) => (method === 'POST' ? pet : { ...pet, name: pet.name.trim() }))
  const read = await runKit({ ...short, change: trimmedWhenRead })
  assert.deepEqual(
    read.results.flatMap((each) => (each.outcome === 'failed' ? [each.id] : [])),
    ['list-shows-as-created'],
  )
  const refused = await runKit({ ...short, change: refusing(/"name":"[^"]*[^\x20-\x7e]/) })
  assert.equal(refused.verdict, 'passed', textReport(refused))
})

it('what was not judged names its finding, in every report', async () => {
  const report = await runKit({ change: { limitHeaders: () => ({}) } })
  const failed = report.results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
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
