/**
 * Runs files of tests, each in a process of its own, and begins them in the given order: `node --test` sorts them by
 * name, so that what takes longest may be alone at the end. Told by test.ts: how many at a time, the flags of node for
 * each, and the files.
 */
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const [concurrency, flags = '[]', ...files] = process.argv.slice(2)
const execArgv: string[] = JSON.parse(flags)
const running = new Set<string>()

run({ files, concurrency: Number(concurrency), execArgv })
  .on('test:dequeue', ({ name }) => files.includes(name) && running.add(name))
  .on('test:complete', ({ name }) => running.delete(name))
  .on('test:summary', ({ file, success }) => {
    if (file === undefined && !success) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)

process.on('SIGTERM', () => {
  process.stdout.write(`\nInterrupted while running:\n${[...running].join('\n')}\n`, () => process.exit(1))
})
