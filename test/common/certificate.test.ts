/** A certificate and a key that cannot be used: which of the usual mistakes it is. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { assertUsable } from '../../src/common/certificate.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'

it('is reported: a passphrase, a wrong order, a foreign key, swapped files, another format', () => {
  const [folder, other] = [temporaryFolder(), temporaryFolder()]
  const own = makeCertificate(folder)
  const ca = makeCertificate(other, { name: 'CA' })
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const at = (name: string) => join(folder, name)
  openssl('pkey', '-in', own.key, '-aes256', '-passout', 'pass:secret', '-out', at('locked.pem'))
  openssl('pkcs12', '-export', '-in', own.cert, '-inkey', own.key, '-passout', 'pass:', '-out', at('both.p12'))
  const [cert, key, caCert, caKey] = [own.cert, own.key, ca.cert, ca.key].map((file) => readFileSync(file))
  assert(cert && key && caCert && caKey)
  assertUsable({ cert, key })
  assertUsable({ cert: Buffer.concat([cert, caCert]), key })
  for (const [tls, sentence] of [
    [{ cert, key: readFileSync(at('locked.pem')) }, /has a passphrase, .*`openssl pkey -in FILE -out NEW`/],
    [{ cert: Buffer.concat([caCert, cert]), key }, /the certificate of the service must come first/],
    [{ cert, key: caKey }, /does not belong to the certificate given as --tls-cert/],
    [{ cert: key, key: cert }, /are swapped/],
    [{ cert: readFileSync(at('both.p12')), key }, /are not a PEM certificate .*`openssl pkcs12 -nodes -in FILE\.p12`/],
  ] as const) {
    assert.throws(() => assertUsable(tls), { message: sentence })
  }
})
