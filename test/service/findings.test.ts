/** What is wrong with the service, as everybody is told it: each thing by a sentence, for as long as it lasts. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../src/common/clock.ts'
import { CurrentCertificate, watchFindings } from '../../src/service/findings.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { clockAt } from '../support/time/clock.ts'

const START_MS = Date.UTC(2026, 10, 23, 12)

function watched(certificate = new CurrentCertificate(undefined), startMs = START_MS, isBackedUp = true) {
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
  const publicCertificates = { endsMs: new Map<string, number>() }
  const publishing = { failures: 0, failure: undefined as string | undefined, lastSuccessMs: undefined }
  const disk = { freeBytes: 1e9 }
  const store = { engine: 'sqlite' as const, ping: (): Promise<void> => Promise.resolve() }
  const findings = watchFindings({
    clock: clockAt(() => clock.nowMs),
    store,
    freeBytes: async () => disk.freeBytes,
    outage: { trouble: () => outage.trouble },
    counters: { trouble: () => counters.trouble },
    failures,
    backups: isBackedUp ? backups : undefined,
    certificate,
    publicCertificates,
    publishing,
    removedSettings: [],
  })
  const list = async () => (await findings()).map(({ kind, sentence }) => `${kind}: ${sentence}`)
  return { clock, disk, store, outage, counters, failures, backups, publicCertificates, publishing, list }
}

/** What happens after two hours without trouble, and what is then reported. */
const CASES: Readonly<Record<string, readonly [change: (now: ReturnType<typeof watched>) => void, ...string[]]>> = {
  'nothing while all is well': [() => {}],
  'a database that is not responding': [
    ({ store, outage }) => {
      outage.trouble = 'the database is not responding'
      store.ping = () => Promise.reject(new StoreUnavailable('gone', { isReported: true }))
    },
    'cannot serve: The database is not responding.',
  ],
  'a file that was moved away': [
    ({ store }) => Object.assign(store, { ping: () => Promise.reject(new StoreUnavailable('it was moved away')) }),
    'cannot serve: The database cannot be used: it was moved away.',
  ],
  'some requests that fail': [
    ({ failures }) => failures.reasons.push('the disk is full; make room.', 'the disk reports an error.'),
    'look at it: Requests get 503: the disk is full; make room.',
    'look at it: Requests get 503: the disk reports an error.',
  ],
  'counters that are not saved': [
    ({ counters }) => Object.assign(counters, { trouble: 'the counters cannot be saved: the disk is full.' }),
    'look at it: The counters cannot be saved: the disk is full.',
  ],
  'a public page that cannot be written': [
    ({ publishing }) => Object.assign(publishing, { failure: 'the disk is full; make room.' }),
    'look at it: The public page was not written: the disk is full; make room.',
  ],
  'a disk that fills': [
    ({ disk }) => Object.assign(disk, { freeBytes: 63 * 2 ** 20 + 1 }),
    'look at it: The disk of the database has only 63 MiB left: free some space.',
  ],
  'no backup for twice the interval': [
    ({ clock }) => {
      clock.nowMs += 1
    },
    'look at it: No backup was made yet, although at least two were due.',
  ],
  'an old backup': [
    ({ clock, backups }) => {
      backups.lastSuccessMs = START_MS
      clock.nowMs += 1
    },
    'look at it: The newest backup is from 2026-11-23T12:00:00Z, and at least two more were due.',
  ],
  'a backup that failed': [
    ({ backups }) => Object.assign(backups, { failure: 'the disk is full.' }),
    'look at it: No backup was made: the disk is full.',
  ],
  'backups that do not fit the database': [
    ({ backups }) => Object.assign(backups, { doubt: 'the database contains no animals' }),
    'look at it: The database contains no animals.',
  ],
  'a certificate at the proxy that expires within 14 days, or has expired': [
    ({ publicCertificates, clock }) => {
      publicCertificates.endsMs.set('https://pets.example', clock.nowMs + 14 * DAY_MS + 1)
      publicCertificates.endsMs.set('https://office.example', clock.nowMs + 14 * DAY_MS)
      publicCertificates.endsMs.set('https://old.example', clock.nowMs)
    },
    'look at it: The certificate of https://office.example expires on 2026-12-07T14:00:00Z; renew it at the proxy.',
    'look at it: The certificate of https://old.example expired on 2026-11-23T14:00:00Z; renew it at the proxy.',
  ],
  'a copy elsewhere that is a day old': [
    ({ backups }) => Object.assign(backups, { copiedMs: START_MS + 2 * HOUR_MS - DAY_MS - 1 }),
    'look at it: The backups were last copied elsewhere on 2026-11-22T13:59:59Z.',
  ],
}

describe('the findings report', () => {
  for (const [what, [change, ...sentences]] of Object.entries(CASES)) {
    it(what, async () => {
      const now = watched()
      now.clock.nowMs += 2 * HOUR_MS
      change(now)
      assert.deepEqual(await now.list(), sentences)
    })
  }

  it('a SQLite database without backups', async () => {
    const now = watched(undefined, START_MS, false)
    assert.match((await now.list()).join(), /^look at it: No backups are made: set `backup-dir` /)
  })

  it('a certificate that ends within 14 days or has ended, and one that could not replace it', async () => {
    const pem = readFileSync(makeCertificate(temporaryFolder()).cert)
    const certificate = new CurrentCertificate(pem)
    const endsMs = certificate.endsMs ?? 0
    const { clock, backups, list } = watched(certificate, endsMs - 14 * DAY_MS - 1)
    backups.everyMs = 100 * DAY_MS
    assert.deepEqual(await list(), [])
    clock.nowMs += 1
    assert.match((await list()).join(), /: The certificate in use expires on \d{4}-\S+Z; replace it and send SIGHUP/)
    clock.nowMs = endsMs
    assert.match((await list()).join(), /: The certificate in use expired on /)
    certificate.reportFailure('the file cert.pem cannot be read.')
    assert.deepEqual(await list(), ['look at it: The certificate was not reloaded: the file cert.pem cannot be read.'])
    clock.nowMs = endsMs - 15 * DAY_MS
    certificate.replace(pem)
    assert.deepEqual(await list(), [])
  })
})
