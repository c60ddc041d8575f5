/** What is wrong with the service, as everybody is told it: each thing by a sentence, for as long as it lasts. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../src/common/clock.ts'
import { CurrentCertificate, watchTroubles } from '../../src/service/troubles.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { clockAt } from '../support/time/clock.ts'

const START_MS = Date.UTC(2026, 10, 23, 12)

function watched(certificate = new CurrentCertificate(undefined), startMs = START_MS) {
  const clock = { nowMs: startMs }
  const outage = { trouble: undefined as string | undefined }
  const counters = { trouble: undefined as string | undefined }
  const failures = { reasons: [] as string[] }
  const backups = {
    failures: 0,
    failure: undefined as string | undefined,
    doubt: undefined as string | undefined,
    lastSuccessMs: undefined as number | undefined,
    everyMs: HOUR_MS,
    copiedMs: undefined as number | undefined,
  }
  const publishing = { failures: 0, failure: undefined as string | undefined, lastSuccessMs: undefined }
  const troubles = watchTroubles({
    clock: clockAt(() => clock.nowMs),
    outage: { trouble: () => outage.trouble },
    counters: { trouble: () => counters.trouble },
    failures,
    backups,
    certificate,
    publishing,
    removedSettings: [],
  })
  return { clock, outage, counters, failures, backups, publishing, list: troubles }
}

it('the database, what it fails requests for, the counters, and a page that cannot be written, as sentences', () => {
  const { outage, failures, counters, publishing, list } = watched()
  assert.deepEqual(list(), [])
  outage.trouble = 'the database does not answer'
  failures.reasons.push('the disk is full; make room.', 'the disk reports an error.')
  counters.trouble = 'counters cannot be saved at the moment: the disk is full.'
  publishing.failure = 'the disk is full; make room.'
  assert.deepEqual(list(), [
    'The database does not answer.',
    'Requests get 503: the disk is full; make room.',
    'Requests get 503: the disk reports an error.',
    'Counters cannot be saved at the moment: the disk is full.',
    'No public page is written: the disk is full; make room.',
  ])
})

it('a backup that failed, until one is made, one that is missing for twice its interval, and a copy elsewhere that is a day old', () => {
  const { clock, backups, list } = watched()
  clock.nowMs += 2 * HOUR_MS
  assert.deepEqual(list(), [])
  clock.nowMs += 1
  assert.deepEqual(list(), ['No backup was made yet; two more are overdue.'])
  backups.failure = 'the disk is full.'
  assert.deepEqual(list(), ['No backup was made: the disk is full.'])
  backups.failure = undefined
  backups.lastSuccessMs = START_MS
  assert.deepEqual(list(), ['The newest backup is of 2026-11-23T12:00:00Z; two more are overdue.'])
  backups.lastSuccessMs = START_MS + 1
  assert.deepEqual(list(), [])
  backups.doubt = 'the database holds no animals'
  assert.deepEqual(list(), ['The database holds no animals.'])
  backups.doubt = undefined
  backups.copiedMs = backups.lastSuccessMs = clock.nowMs
  clock.nowMs += DAY_MS
  backups.everyMs = DAY_MS
  assert.deepEqual(list(), [])
  clock.nowMs += 1_000
  assert.deepEqual(list(), ['The backups were last copied elsewhere on 2026-11-23T14:00:00Z.'])
})

it('a certificate that ends within 14 days or has ended, and one that could not replace it', () => {
  const pem = readFileSync(makeCertificate(temporaryFolder()).cert)
  const certificate = new CurrentCertificate(pem)
  const endsMs = certificate.endsMs ?? 0
  const { clock, backups, list } = watched(certificate, endsMs - 14 * DAY_MS - 1)
  backups.everyMs = 100 * DAY_MS
  assert.deepEqual(list(), [])
  clock.nowMs += 1
  assert.match(
    list().join(),
    /^The certificate in use ends on \d{4}-\S+Z; put a new one in its place and send SIGHUP\.$/,
  )
  clock.nowMs = endsMs
  assert.match(list().join(), /^The certificate in use has ended on /)
  certificate.reportFailure('the file cert.pem cannot be read.')
  assert.deepEqual(list(), ['The certificate stays as it was: the file cert.pem cannot be read.'])
  clock.nowMs = endsMs - 15 * DAY_MS
  certificate.replace(pem)
  assert.deepEqual(list(), [])
})
