/** Files on their way into the office: slow ones arrive, silent ones end, and nobody's take the room of others. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OfficeError, Upload } from '../../src/office/office-data.ts'
import { authorAt } from '../support/author.ts'
import { temporaryFolder } from '../support/folder.ts'
import { keptUploads, type OfficeApp, startOfficeApp } from '../support/office-app.ts'
import { PASSPHRASE, type SignedInClient } from '../support/office-client.ts'
import { oneOf, until } from '../support/until.ts'

/** In this time a file has to bring 4 KiB; not the usual one, so that none is waited for. */
const WINDOW_MS = 500
const BODY_MS = 300
/** A file that goes on does so this often; a busy machine may hold it up. */
const EVERY_MS = WINDOW_MS / 20
const MUCH = `${'x'.repeat(1_000)},7,\n`.repeat(32)
const START = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,categoryId,status\n'
const END = '\r\n--x--\r\n'

describe('a file that is uploaded', () => {
  let office: OfficeApp
  let ada: SignedInClient

  beforeEach(async () => {
    office = await startOfficeApp(`sqlite:${temporaryFolder()}/pets.db`)
    ada = await office.enter('Ada')
  })

  /** Another office, whose patience is short. */
  async function hurry(bodyTimes: { readonly bodyMs: number; readonly progressMs: number }) {
    await office[Symbol.asyncDispose]()
    office = await startOfficeApp(`sqlite:${temporaryFolder()}/pets.db`, { bodyTimes })
    ada = await office.enter('Ada')
  }
  afterEach(() => office[Symbol.asyncDispose]())

  /** A connection, and what has come over it. */
  function open() {
    const port = Number(new URL(office.operatorUrl).port)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.on('error', () => {})
    socket.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
    return { socket, port, received: () => text }
  }

  /** The beginning of an upload whose rest the test sends. */
  function begin({ headers }: SignedInClient): { socket: Socket; answer: () => string; chunk: (text: string) => void } {
    const { socket, port, received } = open()
    const all = { ...headers, host: `127.0.0.1:${port}`, 'transfer-encoding': 'chunked' }
    const lines = Object.entries({ ...all, 'content-type': 'multipart/form-data; boundary=x' })
    socket.write(`POST /api/uploads HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    const chunk = (text: string) => {
      if (socket.writable) socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
    }
    chunk(START)
    return { socket, answer: received, chunk }
  }

  it('may take as long as it goes on', async () => {
    await hurry({ bodyMs: BODY_MS, progressMs: WINDOW_MS })
    await oneOf(20, async () => {
      const { socket, answer, chunk } = begin(ada)
      const endMs = performance.now() + 6 * WINDOW_MS
      let [sent, lastMs, pauseMs] = [0, performance.now(), 0]
      while (performance.now() < endMs && answer() === '') {
        chunk(MUCH)
        sent += 32
        await sleep(EVERY_MS)
        pauseMs = Math.max(pauseMs, performance.now() - lastMs)
        lastMs = performance.now()
      }
      // Only an office that was sent something all the time can be said to have given it up.
      if (answer() !== '' && pauseMs > WINDOW_MS / 4) return `a pause of ${pauseMs} ms`
      chunk(END)
      socket.write('0\r\n\r\n')
      await until('it is answered', () => answer().endsWith('}'))
      assert.match(answer(), /^HTTP\/1\.1 200 /)
      const upload = JSON.parse(answer().slice(answer().indexOf('{'))) as Upload
      assert.equal(upload.animals, sent)
      assert.equal((await ada.ask('POST', `/api/uploads/${upload.id}`, { rules: [] })).status, 200)
      socket.destroy()
      return undefined
    })
  })

  it('is given up when it stops, or brings a byte now and then: 408, and the connection ends', async () => {
    await hurry({ bodyMs: BODY_MS, progressMs: WINDOW_MS })
    for (const drop of ['', 'x']) {
      const { socket, answer, chunk } = begin(ada)
      await until('it is given up', async () => {
        if (drop !== '') chunk(drop)
        return answer() !== '' || socket.destroyed
      })
      assert.match(answer(), /^HTTP\/1\.1 408 /)
      await until('the connection is cut', () => {
        if (!socket.destroyed) chunk(MUCH)
        return socket.destroyed
      })
    }
    assert.equal((await ada.upload('name,categoryId\nMia,7\n')).status, 200)
  })

  it('ends when its person is put out, and its room is free', async () => {
    await hurry({ bodyMs: BODY_MS, progressMs: WINDOW_MS * 10 })
    const { socket, answer, chunk } = begin(ada)
    await office.store.people.revoke('ada', authorAt(office.clock.nowMs))
    await until('it is ended', () => {
      if (answer() === '') chunk(MUCH)
      return answer() !== ''
    })
    assert.match(answer(), /^HTTP\/1\.1 401 [\s\S]*"signed_out"/)
    socket.destroy()
  })

  it('goes with the sessions of its person, who was signed out, got another role or was revoked', async () => {
    const olga = await office.enter('Olga', 'operator')
    for (const [path, body] of [
      ['sign-out', {}],
      ['role', { role: 'operator', passphrase: PASSPHRASE }],
      ['revoke', {}],
    ] as const) {
      ada = await office.enter(`Ada ${path}`)
      assert.equal((await ada.upload('name,categoryId\nMia,7\n')).status, 200)
      assert.equal(keptUploads().length, existsSync('/proc/self/fd') ? 1 : 0)
      // However the name is written.
      const end = () => olga.ask<OfficeError>('POST', `/api/people/${encodeURIComponent(`ADA ${path}`)}/${path}`, body)
      assert.equal((await end()).status, 200)
      await until('it is gone', () => keptUploads().length === 0)
      if (path !== 'role') continue
      const { status, json } = await end()
      assert.deepEqual([status, json.message], [409, 'Nothing was changed: the role is operator already.'])
    }
  })

  it('takes the place of the one before it of the same person, and of nobody else’s', async () => {
    const ben = await office.enter('Ben')
    const { json: kept } = await ben.upload<Upload>('name,categoryId\nTom,7\n')
    const earlier = Array.from({ length: 20 }, () => begin(ada))
    const isReplaced = ({ answer }: { answer: () => string }) =>
      /^HTTP\/1\.1 404 [\s\S]*you chose another one/.test(answer())
    const replaced = () => earlier.filter(isReplaced).length
    await until('all but one are replaced', () => replaced() === earlier.length - 1)
    assert.equal((await (await office.enter('Cleo')).upload('name,categoryId\nMia,7\n')).status, 200)
    assert.equal((await ben.ask('POST', `/api/uploads/${kept.id}`, { rules: [] })).status, 200)
    const { status, json } = await ada.upload<Upload>('name,categoryId\nMia,7\n')
    assert.deepEqual([status, json.animals], [200, 1])
    await until('the last one is replaced, too', () => replaced() === earlier.length)
    for (const { socket } of earlier) socket.destroy()
  })

  it('has few and short fields beside it', async () => {
    const send = async (fields: readonly string[]) => {
      const form = new FormData()
      for (const [n, field] of fields.entries()) form.append(`field ${n}`, field)
      form.append('file', new Blob(['name,categoryId\nMia,7\n']), 'a.csv')
      const sent = await fetch(`${office.operatorUrl}/api/uploads`, {
        method: 'POST',
        headers: ada.headers,
        body: form,
      })
      return { status: sent.status, json: (await sent.json()) as OfficeError }
    }
    assert.equal((await send(['a', 'b'])).status, 200)
    const { status, json } = await send(Array.from({ length: 600 }, () => 'x'.repeat(1_000)))
    assert.deepEqual([status, json.code], [400, 'invalid'])
  })

  it('is no excuse for other bodies: they have to arrive soon, or are answered 408', async () => {
    await hurry({ bodyMs: BODY_MS, progressMs: WINDOW_MS })
    const { socket, port, received } = open()
    const head = `POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${office.operatorUrl}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"name":`)
    await until('it is given up', () => received() !== '')
    assert.match(received(), /^HTTP\/1\.1 408 /)
    await until('the connection is cut', () => {
      if (!socket.destroyed) socket.write('x')
      return socket.destroyed
    })
  })
})
