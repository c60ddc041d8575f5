/** When a certificate expires, and how long before that the service warns. */
import { X509Certificate } from 'node:crypto'
import { DAY_MS } from './clock.ts'

export const EXPIRY_WARNING_MS = 14 * DAY_MS

/** Earliest expiry in a PEM chain, Unix ms; undefined if it cannot be read. */
export function earliestExpiryMs(pem: string): number | undefined {
  const chain = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    const ends = chain.map((one) => Date.parse(new X509Certificate(one).validTo))
    return ends.length === 0 ? undefined : Math.min(...ends)
  } catch {
    return undefined
  }
}
