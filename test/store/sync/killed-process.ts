/** An act that kills its process before the statement of this number; with 0 it counts them. */
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { Client } from 'pg'
import { openStore } from '../../../src/store/open.ts'
import { patientClock } from '../../support/time/clock.ts'
import { ACTS } from './lists.ts'

const [url = '', at = '', act = ''] = process.argv.slice(2)
const store = await openStore(url, { serving: false, clock: patientClock })
let statements = 0
const kinds: readonly (readonly [object, readonly string[]])[] = [
  [DatabaseSync.prototype, ['exec']],
  [StatementSync.prototype, ['run', 'get', 'all', 'iterate']],
  [Client.prototype, ['query']],
]
for (const [prototype, names] of kinds) {
  for (const name of names) {
    const work: unknown = Reflect.get(prototype, name)
    if (typeof work !== 'function') throw new Error(`there is no ${name}`)
    const counted = function (this: unknown, ...args: unknown[]): unknown {
      statements += 1
      if (statements === Number(at)) process.kill(process.pid, 'SIGKILL')
      return Reflect.apply(work, this, args)
    }
    Reflect.set(prototype, name, counted)
  }
}
await ACTS[act as keyof typeof ACTS].run(store)
console.log(statements)
await store.close()
