/**
 * `npm run test:long`, before a release: thousands of random cases, and tests that take minutes.
 *
 *     npm run test:long -- --only histories,forms --seed 7
 *     npm run test:long -- --only histories --seed 7 --engine sqlite --runs 100
 *
 * With one part, further options are passed to its runner (test/PART/run.ts).
 */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { newSeed } from '../test/support/random.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** Files whose properties draw less by default (test/support/draws.ts). */
const DRAWN = [
  'test/animals-file/animals-file.test.ts',
  'test/store/origins.test.ts',
  'test/store/sync/sync.test.ts',
  'test/store/sync/killed.test.ts',
  'test/common/url.test.ts',
  'client/test/limiter.test.ts',
]
/** The commands of each part. Each gets the seed, `files` by the environment. */
const PARTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  histories: [
    ['test/histories/run.ts'],
    ['test/histories/run.ts', '--engine', 'postgres', '--runs', '5', '--steps', '40'],
    ['test/histories/run.ts', '--engine', 'cluster', '--runs', '5', '--steps', '40'],
  ],
  forms: [['test/forms/run.ts']],
  files: [
    ['scripts/test.ts', '--long'],
    ['scripts/test.ts', ...DRAWN],
  ],
}

const args = process.argv.slice(2)
const { values } = parseArgs({ args, options: { only: { type: 'string' }, seed: { type: 'string' } }, strict: false })
const only = typeof values.only === 'string' ? values.only.split(',') : Object.keys(PARTS)
const seed = typeof values.seed === 'string' ? values.seed : String(newSeed())
const unknown = only.find((name) => !(name in PARTS))
if (unknown !== undefined) {
  process.stderr.write(`There is no part "${unknown}"; choose from ${Object.keys(PARTS).join(', ')}.\n`)
  process.exit(2)
}

/** The arguments that are not options of this script. */
const more = args.filter((arg, n) => !/^--(only|seed)(=|$)/.test(arg) && !/^--(only|seed)$/.test(args[n - 1] ?? ''))
if (more.length > 0 && only.length !== 1) {
  process.stderr.write(`${more.join(' ')}: name the one part that this is for with --only.\n`)
  process.exit(2)
}

/** Has properties draw more often. */
const env = { ...process.env, PETS_TEST_DRAWS: '20', PETS_TEST_SEED: seed }
const took: string[] = []
process.stdout.write(`seed ${seed}\n`)
for (const name of only) {
  // With further options only the first command of the part runs.
  for (const command of more.length > 0 ? (PARTS[name]?.slice(0, 1) ?? []) : (PARTS[name] ?? [])) {
    const own = name === 'files' ? more : ['--seed', seed, ...more]
    process.stdout.write(`\n${command.join(' ')} ${own.join(' ')}\n`)
    const startMs = performance.now()
    const { status } = spawnSync(process.execPath, [...command, ...own], { cwd: ROOT, stdio: 'inherit', env })
    const seconds = `${((performance.now() - startMs) / 1_000).toFixed(0)} s`.padStart(6)
    took.push(`${seconds}  ${command.join(' ')} ${own.join(' ')}${status === 0 ? '' : '  failed'}`)
    if (status !== 0) process.exitCode = 1
  }
}
process.stdout.write(`\n${took.join('\n')}\n`)
