/** The certificates at the public addresses: when the service reads them, and what it knows afterwards. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { describe, it } from 'node:test'
import { createServer } from 'node:tls'
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/common/clock.ts'
import { PublicCertificates } from '../../src/service/public-certificates.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'

const TIMEOUT_MS = 10_000

/** A proxy with a certificate for some days, or one that accepts connections and says nothing. */
async function certificatesOf(days: number | 'silent') {
  const files = makeCertificate(temporaryFolder(), { days: days === 'silent' ? 1 : days })
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  const proxy: Server = days === 'silent' ? createTcpServer() : createServer(tls)
  proxy.listen(0, '127.0.0.1').unref()
  await once(proxy, 'listening')
  let connections = 0
  proxy.on('connection', (socket) => {
    connections += 1
    socket.unref()
  })
  const address = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const clock = new VirtualClock(Date.now())
  const waits: number[] = []
  const after: Clock['after'] = (ms, task) => {
    if (ms !== TIMEOUT_MS) waits.push(ms)
    return clock.after(ms, task)
  }
  const warnings: string[] = []
  const log = { warn: (line: string) => warnings.push(line) } as never
  const urls = [`${address}/v1`, address, 'http://pets.example/v1', undefined]
  const certificates = new PublicCertificates(urls, { ...clock, now: clock.now, after }, log)
  const read = async (isSilent = false) => {
    const [{ length }, before] = [waits, connections]
    clock.pass(waits.at(-1) ?? 0)
    if (isSilent) {
      await until('it has connected', () => connections > before)
      clock.pass(TIMEOUT_MS)
    }
    await until('it waits for the next time', () => waits.length > length)
  }
  return { proxy, address, clock, waits, warnings, certificates, read, connections: () => connections }
}

describe('the certificates at the public addresses', () => {
  it('are read a minute after the start, once for each address, and then daily', async () => {
    const { address, clock, waits, certificates, read, connections } = await certificatesOf(90)
    await read()
    await read()
    assert.deepEqual([waits, connections()], [[MINUTE_MS, DAY_MS, DAY_MS], 2])
    assert.deepEqual([...certificates.endsMs.keys()], [address])
    const days = ((certificates.endsMs.get(address) ?? 0) - clock.now()) / DAY_MS
    assert(days > 88 && days < 89, String(days))
  })

  it('are read hourly if one expires within 14 days', async () => {
    const { waits, read } = await certificatesOf(14)
    await read()
    assert.deepEqual(waits, [MINUTE_MS, HOUR_MS])
  })

  it('stay known while their proxy is gone, which the log says', async () => {
    const { proxy, address, warnings, certificates, read } = await certificatesOf(90)
    await read()
    proxy.close()
    await read()
    assert.match(warnings.join(), new RegExp(`^the certificate of ${address} cannot be read: connect ECONNREFUSED`))
    assert(certificates.endsMs.has(address))
  })

  it('are given up after 10 s if their proxy says nothing, and tried again in an hour', async () => {
    const { waits, warnings, certificates, read } = await certificatesOf('silent')
    await read(true)
    assert.match(warnings.join(), /: no response within 10 s$/)
    assert.deepEqual([waits, certificates.endsMs.size], [[MINUTE_MS, HOUR_MS], 0])
  })

  it('are not read again after the service has stopped', async () => {
    const { clock, certificates, read } = await certificatesOf(90)
    await read()
    certificates.close()
    assert.equal(clock.timers, 0)
  })
})
