/** The limits as a client meets them: plans, windows, headers, 429s and bans, and the allowance of an address. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PLAN_NAMES, PLANS } from '../../src/contract/plans.ts'
import { START_MS, startApp, startKeyed } from '../support/app.ts'
import { type Answer, assertWhole, exchange, remaining } from '../support/http.ts'

const MINUTE_RESET_S = START_MS / 1000 + 50

function headersOf({ headers }: Answer): number[] {
  return ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]))
}

it('the limits of a key come from its plan, and on Enterprise from the key itself (R14, R15, O10)', async () => {
  await using app = await startApp()
  const own = { perMinute: 7, perDay: 9 }
  for (const plan of PLAN_NAMES) {
    const { perMinute } = PLANS[plan] ?? own
    const answer = await app.call({ key: await app.issue(plan, PLANS[plan] === undefined ? own : undefined) })
    assert.deepEqual(headersOf(answer), [perMinute, perMinute - 1, MINUTE_RESET_S])
  }
})

it('a ban is named by the message of its 429, instead of the limit (R17, O15, O9)', async () => {
  await using app = await startApp({ ban: { refusals: 2, withinMs: 60_000, forMs: 600_000 } })
  const key = await app.issue('enterprise', { perMinute: 1, perDay: 100 })
  await app.call({ key })
  const told = []
  for (let i = 0; i < 3; i += 1) {
    const { body } = await app.call({ key })
    told.push(JSON.parse(body))
  }
  const message =
    'This key is temporarily banned because it kept sending requests after reaching its limit; try again in 600 s.'
  assert.deepEqual(told, [
    { code: 'rate_limited', message: 'The limit of 1 requests is used up; try again in 50 s.', status: 429 },
    { code: 'rate_limited', message, status: 429 },
    { code: 'rate_limited', message, status: 429 },
  ])
})

describe('the allowance of an address (O14)', () => {
  it('applies to what is not HTTP, too', async () => {
    await using app = await startKeyed({ anonymousPerMinute: 1 })
    assertWhole(await app.call({}), 401)
    assertWhole(await app.call({ path: '/v1/pets?%zz' }), 429)
    const [garbage] = await exchange(app.port, 'NONSENSE\r\n\r\n')
    assertWhole(garbage, 429, 'rate_limited')
    assert.equal(garbage.headers['retry-after'], '50')
    const { message } = JSON.parse(garbage.body)
    const whose = 'The limit of 1 requests a minute without a valid key from this address is used up'
    assert.equal(message, `${whose}; try again in 50 s.`)
    assertWhole(await app.call({ key: app.key }), 200)
  })

  it('believes forwarding headers only from a proxy that --trust-proxy names', async () => {
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
    await using open = await startApp({ anonymousPerMinute: 10 })
    await open.call(from('192.0.2.1'))
    assert.equal(remaining(await open.call(from('192.0.2.2'))), 8, 'nobody is believed by default')
    await using app = await startApp({ anonymousPerMinute: 10, trustProxy: ['127.0.0.0/8', '10.0.0.1'] })
    const left = async (address: string) => remaining(await app.call(from(address)))
    assert.deepEqual([await left('192.0.2.1'), await left('192.0.2.2')], [9, 9])
    assert.equal(await left('198.51.100.9, ::ffff:192.0.2.1, 10.0.0.1'), 8, 'an IPv4 address however it is written')
  })
})
