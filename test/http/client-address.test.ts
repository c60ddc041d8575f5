/** Whose address a request without a key counts for, whatever form proxies write it in (O14). */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { clientAddress, compileTrustProxy } from '../../src/http/client-address.ts'

const PROXY = '10.0.0.1'
const trust = compileTrustProxy(['10.0.0.0/8'])

function addressFor(remoteAddress: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return clientAddress({ socket: { remoteAddress }, headers } as unknown as IncomingMessage, trust)
}

const client = fc.oneof(
  fc.ipV4().filter((address) => !address.startsWith('10.')),
  fc.ipV6().filter((address) => !address.includes('.')),
)
const port = fc.integer({ min: 1, max: 65_535 })

describe('the address of a request behind a trusted proxy', () => {
  it('is the same with every port, with and without brackets', () => {
    fc.assert(
      fc.property(client, port, (address, port) => {
        const isV6 = address.includes(':')
        assert.equal(addressFor(PROXY, address), address)
        assert.equal(addressFor(PROXY, isV6 ? `[${address}]:${port}` : `${address}:${port}`), address)
        if (isV6) assert.equal(addressFor(PROXY, `[${address}]`), address)
      }),
    )
  })

  it('is the nearest untrusted entry, whatever precedes it', () => {
    fc.assert(
      fc.property(fc.string(), client, (claimed, address) => {
        assert.equal(addressFor(PROXY, `${claimed.replaceAll(',', ' ')}, ${address}, 10.9.9.9:80`), address)
      }),
    )
  })

  it('is the proxy’s own if the entry is not an address', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z_ "=;-]{0,20}$/), (text) => {
        assert.equal(addressFor(PROXY, text), PROXY)
      }),
      { examples: [['unknown'], ['_hidden'], ['for=192.0.2.1'], ['']] },
    )
    assert.equal(addressFor(PROXY, '192.0.2.7, 1.2.3.4.5'), PROXY)
  })

  it('is the connection’s if no proxy is trusted', () => {
    assert.equal(addressFor('192.0.2.1', '198.51.100.7'), '192.0.2.1')
    assert.equal(addressFor('192.0.2.1'), '192.0.2.1')
  })
})
