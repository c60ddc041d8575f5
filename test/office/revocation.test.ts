/**
 * Work in the office ends with its session: raw connections and waiting work against the real process, on each engine.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { ImportSummary, JournalPage, Upload } from '../../src/office/office-data.ts'
import { onEachEngine } from '../store/on-each-engine.ts'
import { assertDone, commandsOn } from '../support/commands/commands.ts'
import { statusesOf } from '../support/http.ts'
import { askOffice, enterOffice, PASSPHRASE, type SignedInClient } from '../support/office-client.ts'
import { type RunningService, startService } from '../support/service.ts'
import { beginOther } from './other-transaction.ts'

const BOUNDARY = 'the-boundary'
const LATE = { name: 'Late', categoryId: '1', status: null }
const ROWS = 30_000
const LARGE_FILE = `name,categoryId\n${Array.from({ length: ROWS }, (_, n) => `Late ${n},9`).join('\n')}\n`

onEachEngine(
  (name) => `a session that ends, on ${name}`,
  (engine) => {
    let service: RunningService
    let operator: SignedInClient
    let people = 0
    before(async () => {
      const args = ['--office', '--trust-proxy', '127.0.0.1']
      service = await startService({ args, database: await engine.createDatabase() })
      operator = await enterOffice(service, 'operator', 'Olga')
      await enterOffice(service, 'staff', 'Vera')
    })
    after(async () => {
      await service?.stop()
    })

    const journal = async () => (await operator.ask<JournalPage>('GET', '/api/journal')).json.lines
    const revoke = async (name: string) => {
      // Earlier requests have arrived once this is answered.
      for (let n = 0; n < 3; n += 1) assert.equal((await operator.ask('GET', '/api/session')).status, 200)
      assert.equal((await operator.ask('POST', `/api/people/${name}/revoke`, {})).status, 200)
    }
    /** A person to be revoked. */
    const enter = async () => {
      people += 1
      const name = `Rex${people}`
      const client = await enterOffice(service, 'operator', name)
      const seen = (await journal())[0]?.n
      /** Asserts that the journal contains nothing newer of this person. */
      const didNothing = async () => {
        const lines = await journal()
        const end = lines.findIndex(({ n }) => n === seen)
        const own = lines.slice(0, end).filter(({ who }) => who === name)
        assert.deepEqual(own, [])
      }
      return { name, client, didNothing }
    }
    /** Sends the head of a request; the result sends the body and returns the status. */
    const begin = (
      client: SignedInClient,
      method: string,
      path: string,
      sent: object | string,
      kind = 'application/json',
    ) => {
      const body = typeof sent === 'string' ? sent : JSON.stringify(sent)
      const headers = { 'content-type': kind, 'content-length': String(Buffer.byteLength(body)) }
      const connection = client.begin(method, path, { headers })
      return async () => statusesOf(await connection.send(body).answers(1))
    }

    it('changes nothing by a write that waits for the database while the session ends', async () => {
      const { name, client, didNothing } = await enter()
      await using other = await beginOther(service.database)
      await other.endSessionsOf(name)
      const acts = [
        client.ask('POST', '/api/animals', { ...LATE, formToken: 'c'.repeat(32) }),
        client.ask('PUT', '/api/categories', { names: [{ id: '2', label: 'Late' }] }),
        client.ask('POST', '/api/people/Vera/revoke', {}),
      ]
      for (let n = 0; n < 3; n += 1) await operator.ask('GET', '/api/session')
      await other.commit()
      assert.deepEqual(statusesOf(await Promise.all(acts)), [401, 401, 401])
      await didNothing()
    })

    // The rest is the same on every engine.
    if (engine.name !== 'SQLite') return

    it('does nothing with bodies that arrive later', async () => {
      const { name, client, didNothing } = await enter()
      const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,categoryId\nA,1\n\r\n--${BOUNDARY}--\r\n`
      const finish = [
        begin(client, 'POST', '/api/people/Vera/revoke', {}),
        begin(client, 'POST', '/api/animals', { ...LATE, formToken: 'b'.repeat(32) }),
        begin(client, 'PUT', '/api/categories', { names: [{ id: '1', label: 'Late' }] }),
        begin(client, 'POST', '/api/people', { name: 'Late', role: 'operator', passphrase: PASSPHRASE }),
        begin(client, 'POST', '/api/keys', { label: 'Late', plan: 'free', passphrase: PASSPHRASE }),
        begin(client, 'POST', '/api/uploads', file, `multipart/form-data; boundary=${BOUNDARY}`),
      ]
      await revoke(name)
      for (const send of finish) assert.deepEqual(await send(), [401])
      await didNothing()
    })

    for (const [path, body] of [
      ['/api/keys', { label: 'Late', plan: 'free' }],
      ['/api/people', { name: 'Later', role: 'operator' }],
    ] as const) {
      it(`does nothing at ${path} while a passphrase is still being checked`, async () => {
        const { name, client, didNothing } = await enter()
        const wrong = Array.from({ length: 4 }, (_, n) => {
          const from = { 'x-forwarded-for': `192.0.2.${people * 10 + n}` }
          return askOffice(
            service,
            'POST',
            '/api/session',
            { name: `Nobody ${people} ${n}`, passphrase: 'wrong' },
            from,
          )
        })
        await operator.ask('GET', '/api/session')
        const act = client.ask('POST', path, { ...body, passphrase: PASSPHRASE })
        await revoke(name)
        assert.equal((await act).status, 401)
        await Promise.all(wrong)
        await didNothing()
      })
    }

    it('imports nothing that waits or is running', async () => {
      const mia = await enterOffice(service, 'manager', `Mia ${people}`)
      const start = async (client: SignedInClient, text: string) => {
        const { status, json } = await client.upload<Upload>(text)
        assert.equal(status, 200)
        return () => client.ask('POST', '/api/imports', { upload: json.id, skipInvalid: false, duplicates: 'add' })
      }
      const done: string[] = []
      /** Revokes people during imports until one was stopped. */
      const revokeDuring = async (text: string, isBehindAnother: boolean) => {
        for (let attempt = 0; attempt < 10; attempt += 1) {
          const { name, client, didNothing } = await enter()
          const other = isBehindAnother ? await start(mia, LARGE_FILE) : undefined
          const own = await start(client, text)
          const others = other?.()
          if (others !== undefined) await operator.ask('GET', '/api/session')
          const answer = own()
          await revoke(name)
          const { status } = await answer
          if (others !== undefined) {
            assert.equal((await others).status, 200)
            done.unshift(mia.session.name)
          }
          if (status === 401) return didNothing()
          assert.equal(status, 200)
          done.unshift(name)
        }
        assert.fail('each import was done before its person was revoked')
      }
      await revokeDuring('name,categoryId\nLate,9\n', true)
      await revokeDuring(LARGE_FILE, false)
      const imports = (await operator.ask<ImportSummary[]>('GET', '/api/imports')).json
      assert.deepEqual(
        imports.map(({ who }) => who),
        done,
      )
      const all = imports.reduce((sum, { animals }) => sum + animals, 0)
      const { counts } = (await operator.ask<{ counts: { none: number } }>('GET', '/api/animals')).json
      assert.equal(counts.none, all, 'each animal that was imported is counted, and no other')
    })

    it('cuts a running export', async () => {
      const long = 'x'.repeat(1_000)
      const text = `name,categoryId\n${Array.from({ length: 20_000 }, (_, n) => `${n}${long},8`).join('\n')}\n`
      assertDone(await commandsOn(service.database).add(text))
      const { name, client } = await enter()
      using connection = client.begin('GET', '/api/export')
      const { socket } = connection
      let size = 0
      let end = ''
      const first = new Promise<void>((resolve) => socket.once('data', () => resolve(void socket.pause())))
      socket.on('data', (text: string) => {
        size += text.length
        end = text.slice(-5)
      })
      await first
      await revoke(name)
      socket.resume()
      const whole = new Promise((resolve) => {
        socket.on('data', () => end === '0\r\n\r\n' && resolve('whole'))
      })
      assert.notEqual(await Promise.race([connection.closed, whole]), 'whole', `${size} bytes arrived`)
      assert(size < 15_000_000, `${size} bytes arrived`)
    })
  },
)
