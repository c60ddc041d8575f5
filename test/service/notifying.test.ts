/** The command that tells a person what is wrong: what it is told, how often, and that it harms nothing. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import pino from 'pino'
import { startNotifying } from '../../src/service/notifying.ts'
import type { Trouble } from '../../src/service/troubles.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'

const LOOK_MS = 5_000
const QUIET_MS = 300_000

function notifying(command: string) {
  const clock = new VirtualClock()
  const troubles: Trouble[] = []
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
  const stop = startNotifying({ command, troubles: () => [...troubles], baseUrl: 'http://pets.example/v1', log, clock })
  return { clock, troubles, lines, stop }
}

/** A file, and what has been written to it so far. */
function written() {
  const file = `${temporaryFolder()}/told`
  return { file, text: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') }
}

const isGone = (pid: string) => !existsSync(`/proc/${pid.trim()}`)
const DISK: Trouble = { about: 'database', sentence: 'Requests get 503: the disk is full; $(touch /tmp/x) `id`.' }

describe('--notify-command', () => {
  it('is told once when something begins to be wrong and once when it is over, at most every five minutes', async () => {
    const { file, text } = written()
    const { clock, troubles, lines, stop } = notifying(`cat >> ${file}; echo end >> ${file}`)
    const ends = (n: number) => until(`told ${n} times`, async () => lines.length === n)
    clock.pass(LOOK_MS)
    troubles.push(DISK)
    clock.pass(LOOK_MS)
    await ends(1)
    assert.match(text(), /^The pet adoption service at http:\/\/pets\.example\/v1 on \S+, 2026-11-21T12:00:20\.000Z\n/)
    assert(
      text().includes(`\nSomething is wrong:\n- ${DISK.sentence}\n`),
      'as it is: the text is no part of the command',
    )
    troubles[0] = { about: 'database', sentence: 'The disk reports an error.' }
    troubles.push({ about: 'backups', sentence: 'No backup was made.' })
    clock.pass(QUIET_MS - LOOK_MS)
    assert.equal(text().match(/end\n/g)?.length, 1)
    clock.pass(LOOK_MS)
    await ends(2)
    assert.match(text(), /\nSomething is wrong:\n- No backup was made\.\nend\n$/, 'and the other goes on')
    troubles.length = 0
    clock.pass(QUIET_MS)
    await ends(3)
    assert.match(text(), /\nThis is over:\n- The disk reports an error\.\n- No backup was made\.\nend\n$/)
    clock.pass(10 * QUIET_MS)
    stop()
    assert.deepEqual([text().split('end\n').length, new Set(lines)], [4, new Set(['--notify-command was run'])])
  })

  it('that fails is one line with what it said, and is run again; it has none of the settings', async () => {
    const { clock, troubles, lines, stop } = notifying('echo "no mail: [$PETS_DATABASE]" >&2; exit 3')
    process.env.PETS_DATABASE = 'postgres://secret'
    troubles.push(DISK)
    clock.pass(LOOK_MS)
    await until('it has failed', async () => lines.length === 1)
    assert.match(lines[0] ?? '', /^--notify-command failed: exit code 3 no mail: \[\]; .* it is run again$/)
    clock.pass(QUIET_MS)
    await until('it has failed again', async () => lines.length === 2)
    delete process.env.PETS_DATABASE
    stop()
  })

  it('that hangs is ended after 30 s with what it has started', async () => {
    const { file, text } = written()
    const { clock, troubles, lines, stop } = notifying(`sleep 1000 & echo $! > ${file}; wait`)
    troubles.push(DISK)
    clock.pass(LOOK_MS)
    await until('it runs', async () => text().endsWith('\n'))
    clock.pass(30_000)
    await until('it is told', async () => lines.length === 1)
    assert.match(lines[0] ?? '', /^--notify-command failed: it did not end within 30 s;/)
    await until('it is gone', async () => isGone(text()))
    stop()
  })

  it('tells of a running service, which does not wait for it: neither a request nor the stop', async () => {
    const { file, text } = written()
    const { cert, key } = makeCertificate(temporaryFolder(), 2)
    const service = await startService({
      args: ['--tls-cert', cert, '--tls-key', key],
      env: { PETS_NOTIFY_COMMAND: `cat > ${file}; echo $$ >> ${file}; sleep 1000` },
    })
    await until('it is told', async () => /\n\d+\n$/.test(text()))
    assert.match(text(), /\nSomething is wrong:\n- The certificate in use ends on /)
    assert.equal((await fetch(`${service.operatorUrl}/livez`)).status, 200)
    assert.equal(await service.stop(), 0)
    await until('it is ended', async () => isGone(text().trim().split('\n').at(-1) ?? ''))
    assert.doesNotMatch(service.output(), /notify-command failed/)
  })
})
