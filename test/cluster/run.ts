/**
 * `npm run test:cluster -- --steps 16 --seed 1`: breaks the cluster of deploy/ha under load for minutes, and checks
 * what its clients saw. `--faults "stop leader,kill node+cut redis master"` names the steps instead of drawing them;
 * `--mode asynchronous` runs PostgreSQL without synchronous replication. The history and the logs are kept in
 * .artifacts/cluster.
 */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { seededRandom } from '../../bench/animals.ts'
import { pets } from '../support/service.ts'
import { check, INVARIANTS, type Violation } from './checker.ts'
import { Cluster, clusterNeeded } from './cluster.ts'
import { type Animal, type Entry, History, type Operation } from './history.ts'
import { Nemesis, nameOf, parseStep, plan } from './nemesis.ts'
import { startWorkload } from './workload.ts'

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string', default: 'synchronous' },
    faults: { type: 'string' },
  },
})
const FOLDER = resolve(import.meta.dirname, '../../.artifacts/cluster')
/** More than any step takes with its recovery. */
const STEP_MS = 360_000
const START_MS = 420_000
const SHOWN = 5

// The end of this process ends the cluster: see ./program.ts.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const mode = values.mode === 'asynchronous' ? 'asynchronous' : 'synchronous'
const random = seededRandom(Number(values.seed))
const steps = values.faults?.split(',').map((text) => parseStep(text, random)) ?? plan(Number(values.steps), random)
const title = `a cluster that is broken ${steps.length} times (seed ${values.seed}, ${mode})`

it(title, { timeout: START_MS + steps.length * STEP_MS, ...clusterNeeded }, async (t) => {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const history = new History(join(FOLDER, 'history.ndjson'))
  tell(`faults: ${steps.map(nameOf).join(', ')}`)
  const cluster = await Cluster.start(mode, FOLDER)
  t.after(() => cluster.stop())
  tell('whole')
  const stop = await startWorkload(cluster, history, mode, random)
  await sleep(3_000)
  const recovery = await new Nemesis(cluster, history, random, tell).run(steps).catch((error: unknown) => error)
  await stop()
  for (const phase of cluster.nodes.flatMap((node) => node.alone())) history.record(phase)
  history.record({ type: 'final', animals: await stored(cluster.database) })
  tell(summary(history.entries))

  await t.test('everything is whole again within 300 s after each fault', () => assert.ifError(recovery))
  const violations = check(history.entries)
  for (const invariant of Object.keys(INVARIANTS)) {
    await t.test(invariant, () => report(violations.filter((violation) => violation.invariant === invariant)))
  }
  await t.test('every node acknowledged and showed animals, and keys were refused over their limits', () => {
    assert.ok(operationsOf(history.entries).some(({ answer }) => answer?.status === 429))
    for (const via of ['node1', 'node2', 'node3', 'nginx']) {
      const answered = operationsOf(history.entries).filter((operation) => operation.via === via)
      assert.ok(answered.filter(({ answer }) => answer?.status === 201).length > 20, `${via}: creates`)
      assert.ok(answered.filter(({ answer }) => answer?.status === 200).length > 20, `${via}: reads`)
    }
  })
})

function report(violations: readonly Violation[]): void {
  const shown = violations.slice(0, SHOWN).map(({ what, evidence }) => {
    const lines = evidence.slice(0, 6).map((entry) => `    ${JSON.stringify(entry).slice(0, 400)}`)
    return [`  ${what}`, ...lines].join('\n')
  })
  assert.equal(
    violations.length,
    0,
    `${violations.length} violations, such as\n${shown.join('\n')}\nAll is in ${FOLDER}`,
  )
}

async function stored(database: string): Promise<readonly Animal[]> {
  const { code, stdout, stderr } = await pets(['export', '--database', database])
  assert.equal(code, 0, stderr)
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Animal).map(({ id, name }) => ({ id, name }))
}

function operationsOf(entries: readonly Entry[]): readonly Operation[] {
  return entries.filter((entry): entry is Operation => entry.type === 'operation')
}

/** The number of responses by status. */
function summary(entries: readonly Entry[]): string {
  const operations = operationsOf(entries)
  const byStatus = Map.groupBy(operations, ({ answer }) => answer?.status ?? 'none')
  const counts = [...byStatus].map(([status, group]) => `${group.length} x ${status}`)
  const reasons = Map.groupBy(
    operations.filter(({ answer }) => (answer?.status ?? 0) >= 500),
    ({ answer }) => answer?.message,
  )
  const failures = [...reasons].map(([reason, group]) => `\n  ${group.length} x ${reason}`).join('')
  const pausedMs = entries.reduce((ms, entry) => ms + (entry.type === 'pause' ? entry.endMs - entry.startMs : 0), 0)
  const alone = entries.filter(({ type }) => type === 'alone').length
  return `${operations.length} requests: ${counts.join(', ')}; nodes counted by themselves ${alone} times; the clients were kept from running for ${Math.round(pausedMs / 1_000)} s${failures}`
}

function tell(line: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
}
