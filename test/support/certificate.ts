/** A self-signed certificate for 127.0.0.1. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { temporaryFolder } from './folder.ts'

export function makeCertificate(folder: string, { days = 90, name = 'localhost' } = {}) {
  const [cert, key] = [`${folder}/cert.pem`, `${folder}/key.pem`]
  const args = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days ${days} -subj /CN=${name} -addext subjectAltName=IP:127.0.0.1`
  execFileSync('openssl', [...args.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { cert, key }
}

export function newCertificate() {
  const { cert, key } = makeCertificate(temporaryFolder())
  return { cert: readFileSync(cert), key: readFileSync(key) }
}
