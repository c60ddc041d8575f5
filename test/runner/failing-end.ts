/** For runner.test.ts: a test after which the process cannot end as it should. */
import { it } from 'node:test'

process.once('exit', () => {
  throw new Error('the folder cannot be removed')
})

it('passes', () => console.log(`started ${process.pid}`))
