/** What a sync refuses, at the bounds of each reason and in their order, without a database. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { importOf } from '../../src/rules/journal.ts'
import { consentTo, type SyncConsent, type SyncFigures, syncedValues, whyRefused } from '../../src/rules/sync.ts'

const NOTHING = { referenced: 20, touched: 0, reassigned: 0, vanished: 0, vanishedAlike: 0, alike: 0 }
const NONE = { renumbers: false, renames: false, adopts: undefined, maxChangedShare: 0.5 }
const why = (figures: Partial<SyncFigures>, consent: Partial<SyncConsent> = {}) =>
  whyRefused({ ...NOTHING, ...figures }, { ...NONE, ...consent })

it('a sync that stays within every bound is not refused', () => {
  assert.equal(why({}), undefined)
  assert.equal(why({ touched: 10, reassigned: 2, vanished: 10, vanishedAlike: 10 }), undefined)
  assert.equal(why({ vanished: 11, vanishedAlike: 5 }), undefined)
  assert.equal(why({ referenced: 0, reassigned: 1 }), undefined)
  assert.equal(why({ alike: 1 }, { adopts: false }), undefined)
})

it('a sync beyond a bound is refused for the first reason, until it is agreed to', () => {
  const all = { touched: 11, reassigned: 3, vanished: 11, vanishedAlike: 6, alike: 1 }
  assert.equal(why(all), 'renumbered')
  assert.equal(why(all, { renumbers: true }), 'reassigned')
  assert.equal(why(all, { renumbers: true, renames: true }), 'too many')
  assert.equal(why(all, { ...consentTo(true, 0.5), renames: true }), 'alike')
  assert.equal(why(all, { ...consentTo(true, 0.5), renames: true, adopts: [] }), undefined)
  assert.equal(why({ referenced: 2, reassigned: 2 }), 'reassigned')
})

it('an entry of a sync names it, and the reference that an animal had none of before', () => {
  const now = { name: 'Rex', categoryId: 7n, status: null }
  const { from, to } = syncedValues(12n, { kind: 'adopted', id: 1n, reference: 'A-1', now, before: now })
  assert.deepEqual([from, importOf(to)], ['{"reference":null}', 12n])
  assert.equal(importOf('{"name":"12"}'), undefined)
})
