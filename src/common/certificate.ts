/** When a certificate ends, and how long before that somebody is told. */
import { X509Certificate } from 'node:crypto'
import { DAY_MS } from './clock.ts'

export const EXPIRY_WARNING_MS = 14 * DAY_MS

/** Unix ms of the first to end of a chain in PEM; undefined if it cannot be read. */
export function earliestExpiryMs(pem: string): number | undefined {
  const chain = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    const ends = chain.map((one) => Date.parse(new X509Certificate(one).validTo))
    return ends.length === 0 ? undefined : Math.min(...ends)
  } catch {
    return undefined
  }
}
