/** What a person must agree to before a sync, at the bounds of each reason, without a database. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { needsAgreement, type SyncFigures, syncedValues } from '../../src/rules/sync.ts'

const NOTHING = { referenced: 20, touched: 0, reassigned: 0, vanished: 0, vanishedAlike: 0 }
const needs = (figures: Partial<SyncFigures>) => needsAgreement({ ...NOTHING, ...figures })

describe('a sync', () => {
  const rows: readonly (readonly [string, Partial<SyncFigures>, boolean])[] = [
    ['does not need agreement for a tenth of the animals', { touched: 2 }, false],
    ['needs agreement for more than a tenth', { touched: 3 }, true],
    ['needs agreement for one reference that means another animal', { reassigned: 1 }, true],
    ['does not need agreement if half of the animals are missing', { vanished: 10, vanishedAlike: 10 }, false],
    ['needs agreement if most animals seem to have new references', { vanished: 11, vanishedAlike: 6 }, true],
    ['does not need agreement if few of the missing are like new rows', { vanished: 11, vanishedAlike: 5 }, false],
    ['does not need agreement for a first list', { referenced: 0 }, false],
  ]
  for (const [title, figures, expected] of rows) it(title, () => assert.equal(needs(figures), expected))

  it('says in its entry that an animal had no reference before', () => {
    const now = { name: 'Rex', categoryId: 7n, status: null }
    const values = syncedValues({ kind: 'adopted', id: 1n, reference: 'A-1', now, before: now })
    assert.deepEqual(values, { from: '{"reference":null}', to: '{"reference":"A-1"}' })
  })
})
