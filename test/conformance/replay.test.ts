/** `pets check --replay`: a failure of a report is sent again byte for byte, and a report holds no key. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { checkCommand, runConformance } from 'pet-adoption-conformance'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Behaviour, KEY, LIMITED_KEY } from './servers/reference.ts'
import { runKit } from './servers/run-kit.ts'

const file = join(temporaryFolder(), 'report.json')
const teapot: Partial<Behaviour> = { finish: (reply) => ({ ...reply, status: 418, body: `${KEY} again` }) }

/** What the command prints; the test's own process runs it. */
async function replay(...args: readonly string[]): Promise<string> {
  let printed = ''
  const print = async (text: string): Promise<void> => {
    printed += text
  }
  const command = checkCommand({ print, failure: (sentence) => new Error(sentence) })
  await command.exitOverride().parseAsync(['--replay', file, ...args, '--key', KEY], { from: 'user' })
  return printed
}

/** Hands each whole request, as bytes, to `onRequest`, and answers 418. */
async function recorder(onRequest: (bytes: string) => void): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket: Socket) => {
    let received = ''
    socket.setEncoding('latin1').on('error', () => {})
    socket.on('data', (chunk: string) => {
      received += chunk
      const [head = '', ...rest] = received.split('\r\n\r\n')
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
      if (rest.length === 0 || rest.join('\r\n\r\n').length < length) return
      onRequest(received)
      socket.end(`HTTP/1.1 418 No\r\nContent-Type: application/json\r\nContent-Length: ${KEY.length}\r\n\r\n${KEY}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { port: address.port, close: () => server.close() }
}

const IDS = [
  ...['list', 'refuse-body-cut', 'auth-key-cut', 'auth-basic-user', 'auth-key-other-case', 'auth-empty'],
  ...['method-invented', 'client-creates-java', 'body-apart', 'create-name-unicode', 'over-limit-429'],
]

it('the very bytes are sent again, with the key given now, and shown as a line for the shell (R13)', async () => {
  const sent: string[] = []
  const { port, close } = await recorder((bytes) => sent.push(bytes))
  const baseUrl = `http://127.0.0.1:${port}/v1`
  try {
    for (const id of IDS) {
      const report = await runConformance({ baseUrl, key: KEY, limitedKey: LIMITED_KEY, ids: [id] })
      assert.ok(
        report.results.some(({ failure }) => failure !== undefined),
        id,
      )
      writeFileSync(file, JSON.stringify(report))
      assert.ok(!readFileSync(file, 'utf8').includes(KEY))
      const first = sent.at(-1)
      const shown = await replay(id, '--limited-key', LIMITED_KEY)
      assert.equal(sent.at(-1), first, id)
      assert.match(shown, /request +.*curl/)
      assert.match(shown, /answer +HTTP\/1\.1 418 No\n/)
      assert.ok(!shown.includes(KEY) && shown.includes('KEY'))
      sent.length = 0
    }
  } finally {
    close()
  }
})

it('without a case the only failure is meant; what cannot be sent again is told in a sentence', async () => {
  const check = ['check', '--key', KEY, '--replay', file]
  await runKit({
    change: teapot,
    ids: ['list'],
    after: async (report) => {
      writeFileSync(file, JSON.stringify(report))
      const { code, stdout } = await pets(check)
      assert.equal(code, 0)
      assert.match(stdout, /came +status 418, on 2027-01-15T/)
    },
  })
  const gone = await pets(check)
  assert.equal(gone.code, 3)
  assert.match(gone.stderr, /^curl [^\n]*\nNo answer from http:[^\n]*\n$/)
  const other = await pets([...check, 'limit-5'])
  assert.deepEqual([other.code, other.stderr], [3, 'limit-5 has not failed, only list.\n'])
  writeFileSync(file, '{"results":[]}')
  const wrong = await pets(check)
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /is no report of this kit; give one that --json has written\.$/m)
})
