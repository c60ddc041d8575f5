/** The room for pages that nobody reads: no address has more than a quarter of it, and each byte comes back. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PageBudget } from '../../src/http/page-budget.ts'

const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']

function taken(budget: PageBudget, ip: string, bytes: number): () => void {
  return budget.take(ip, bytes) ?? assert.fail(`no room for ${bytes} bytes of ${ip}`)
}

it('an address has a quarter, an IPv6 network too, and what it gives back is its own again', () => {
  const budget = new PageBudget(400)
  for (const [one, same] of [
    ['10.0.0.1', '10.0.0.1'],
    ['2001:db8::1', '2001:db8::2'],
  ] as const) {
    const first = taken(budget, one, 60)
    assert.equal(budget.take(same, 41), undefined)
    const second = taken(budget, same, 40)
    first()
    assert.equal(budget.take(one, 61), undefined, 'what is still held counts')
    const third = taken(budget, one, 60)
    for (const give of [second, third]) give()
    taken(budget, same, 100)()
  }
})

it('all addresses together have the whole, and who is refused for that has lost nothing of its own', () => {
  const budget = new PageBudget(400)
  for (let round = 0; round < 3; round += 1) {
    const gives = ADDRESSES.map((ip) => taken(budget, ip, 100))
    assert.equal(budget.take('10.0.0.5', 100), undefined)
    gives[0]?.()
    taken(budget, '10.0.0.5', 100)()
    for (const give of gives.slice(1)) give()
  }
})
