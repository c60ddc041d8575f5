/** What the log says of an outage of the shared counters: its beginning, its cost while it lasts, and its end. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { countersLog } from '../../src/service/service-log.ts'
import { keptLog } from '../support/log.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

it('the log reports an outage of the shared counters, its cost every ten seconds, and its end', () => {
  const clock = new VirtualClock()
  const { log, lines: told } = keptLog<{ level: number; msg: string }>()
  const { onChange, onAlone } = countersLog(log, clock)
  const concern = (requests: number) => {
    for (let i = 0; i < requests; i += 1) onAlone()
  }
  onChange('the shared counters do not work (gone)')
  concern(3)
  clock.pass(10_000)
  concern(1)
  clock.pass(10_000)
  onChange(undefined)
  concern(1)
  clock.pass(10_000)
  assert.deepEqual(
    told.map(({ level, msg }) => [level, msg]),
    [
      [40, 'the shared counters do not work (gone)'],
      [40, `the shared counters still do not work: 3 requests counted by this node alone so far`],
      [40, `the shared counters still do not work: 4 requests counted by this node alone so far`],
      [30, `counters are shared again after 20 s; 4 requests counted by this node alone`],
    ],
  )
  onChange('the shared counters do not work (gone)')
  onChange(undefined)
  assert.match(told.at(-1)?.msg ?? '', /; 0 requests /)
})
