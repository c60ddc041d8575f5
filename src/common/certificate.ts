/** Checks a certificate and its key, and reads when it expires. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { DAY_MS } from './clock.ts'
import { ExplainedError } from './errors.ts'

export const EXPIRY_WARNING_MS = 14 * DAY_MS

/** Unix ms; undefined if the chain cannot be read. */
export function earliestExpiryMs(pem: string): number | undefined {
  try {
    const ends = chainOf(pem).map((one) => Date.parse(new X509Certificate(one).validTo))
    return ends.length === 0 ? undefined : Math.min(...ends)
  } catch {
    return undefined
  }
}

function chainOf(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
}

/** Throws ExplainedError. Loads node:tls, which would slow down a start without TLS. */
export function assertUsable(tls: { readonly cert: Buffer; readonly key: Buffer }): void {
  try {
    process.getBuiltinModule('node:tls').createSecureContext(tls)
  } catch (cause) {
    throw new ExplainedError(whyUnusable(tls.cert.toString('latin1'), tls.key.toString('latin1')), { cause })
  }
}

function whyUnusable(cert: string, key: string): string {
  if (cert.includes('PRIVATE KEY') && key.includes('BEGIN CERTIFICATE')) {
    return 'The files given as --tls-cert and --tls-key are swapped.'
  }
  if (key.includes('ENCRYPTED')) {
    return 'The key given as --tls-key has a passphrase, which no one could type. Remove it with `openssl pkey -in FILE -out NEW`.'
  }
  const at = indexOfKey(cert, key)
  if (at === undefined) {
    return 'The files given as --tls-cert and --tls-key are not a PEM certificate and its private key. `openssl pkcs12 -nodes -in FILE.p12` writes PEM.'
  }
  return at === -1
    ? 'The key given as --tls-key does not belong to the certificate given as --tls-cert.'
    : 'In the file given as --tls-cert, the certificate of the service must come first, followed by the certificates that signed it.'
}

/** The certificate of the chain to which the key belongs: -1 for none, undefined if they cannot be read. */
function indexOfKey(cert: string, key: string): number | undefined {
  try {
    const chain = chainOf(cert).map((one) => new X509Certificate(one))
    const own = createPrivateKey(key)
    return chain.length === 0 ? undefined : chain.findIndex((one) => one.checkPrivateKey(own))
  } catch {
    return undefined
  }
}
