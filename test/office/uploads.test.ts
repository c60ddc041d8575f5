/** Uploads: slow ones arrive, silent ones end, and none uses another person's place. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { OfficeError, Upload } from '../../src/office/office-data.ts'
import { keptUploads, type OfficeApp, startOfficeApp } from '../support/office-app.ts'
import { PASSPHRASE, type SignedInClient, signIn } from '../support/office-client.ts'
import { authorAt } from '../support/store.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'

/** In this time a file must bring 240 KiB, and another body must arrive. */
const WINDOW_MS = 30_000
const BODY_MS = 20_000
const SWEEP_MS = 60_000
const ROW = `${'x'.repeat(1_000)},7,\n`
const ENOUGH = 250
const START = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,categoryId,status\n'
const END = '\r\n--x--\r\n'

describe('an upload', () => {
  let clock: VirtualClock
  let office: OfficeApp
  let ada: SignedInClient

  beforeEach(async () => {
    clock = new VirtualClock()
    office = await startOfficeApp({ clock })
    ada = await office.enter('Ada')
  })

  afterEach(() => office[Symbol.asyncDispose]())

  /** A running upload, which is already watched. */
  async function begun(person: SignedInClient): Promise<ReturnType<typeof begin>> {
    const { timers } = clock
    const upload = begin(person)
    await until('it is watched', () => clock.timers > timers)
    return upload
  }

  /** The beginning of an upload; the test sends the rest. */
  function begin(person: SignedInClient) {
    const headers = { 'transfer-encoding': 'chunked', 'content-type': 'multipart/form-data; boundary=x' }
    const upload = person.begin('POST', '/api/uploads', { headers })
    const { socket } = upload
    const chunk = (text: string) => {
      if (socket.writable) socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
    }
    chunk(START)
    return { socket, answer: () => upload.received, chunk }
  }

  /** Sends rows until they have arrived or the upload has ended. */
  async function bring({ answer, chunk }: ReturnType<typeof begin>): Promise<void> {
    const before = office.received()
    const text = ROW.repeat(ENOUGH)
    chunk(text)
    await until('it has arrived', () => answer() !== '' || office.received() >= before + text.length)
  }

  async function finish({ socket, answer, chunk }: ReturnType<typeof begin>): Promise<void> {
    chunk(END)
    socket.write('0\r\n\r\n')
    await until('it is answered', () => answer().endsWith('}'))
    assert.match(answer(), /^HTTP\/1\.1 200 /)
  }

  it('can take as long as it makes progress', async () => {
    const sent = await begun(ada)
    const { socket, answer } = sent
    for (let n = 0; n < 6; n += 1) {
      await bring(sent)
      clock.pass(WINDOW_MS)
    }
    await finish(sent)
    const upload = JSON.parse(answer().slice(answer().indexOf('{'))) as Upload
    assert.equal(upload.found?.animals, 6 * ENOUGH)
    assert.equal((await ada.ask('POST', `/api/uploads/${upload.id}`, {})).status, 200)
    socket.destroy()
  })

  it('ends with 408 and a closed connection if it stops or trickles', async () => {
    for (const drop of ['', 'x']) {
      const { socket, answer, chunk } = begin(ada)
      await until('it is given up', async () => {
        if (drop !== '') chunk(drop)
        clock.pass(WINDOW_MS)
        return answer() !== '' || socket.destroyed
      })
      assert.match(answer(), /^HTTP\/1\.1 408 /)
      await until('the connection is cut', () => {
        if (!socket.destroyed) chunk(ROW)
        clock.pass(WINDOW_MS)
        return socket.destroyed
      })
    }
    assert.equal((await ada.upload('name,categoryId\nMia,7\n')).status, 200)
  })

  it('gets its full time again if the service itself was held up', async () => {
    const sent = await begun(ada)
    clock.leap(2 * WINDOW_MS)
    await bring(sent)
    clock.pass(WINDOW_MS)
    await finish(sent)
    sent.socket.destroy()
  })

  it('ends when its person’s access is revoked, and frees its place', async () => {
    const sent = await begun(ada)
    await office.store.people.revoke('ada', authorAt(office.clock.nowMs))
    await until('it is ended', async () => {
      if (sent.answer() === '') await bring(sent)
      clock.pass(WINDOW_MS)
      return sent.answer() !== ''
    })
    assert.match(sent.answer(), /^HTTP\/1\.1 401 [\s\S]*"signed_out"/)
    sent.socket.destroy()
  })

  it('is dropped with its session: by sign-out, a new role or revoking access', async () => {
    const olga = await office.enter('Olga', 'operator')
    const file = 'name,categoryId\nMia,7\n'
    const kept = () => keptUploads().length
    for (const [path, body] of [
      ['sign-out', {}],
      ['role', { role: 'operator', passphrase: PASSPHRASE }],
      ['revoke', {}],
    ] as const) {
      const name = `Ada ${path}`
      const [other, person] = [await office.enter(name), await signIn(office, name)]
      const { id } = (await person.upload<Upload>(file)).json
      assert.equal((await other.ask('POST', `/api/uploads/${id}`, {})).status, 200)
      assert.equal((await other.ask('DELETE', '/api/session')).status, 204)
      clock.pass(SWEEP_MS)
      assert.equal((await person.ask('POST', `/api/uploads/${id}`, {})).status, 200)
      const end = () => olga.ask<OfficeError>('POST', `/api/people/${encodeURIComponent(name)}/${path}`, body)
      assert.equal((await end()).status, 200)
      clock.pass(SWEEP_MS)
      await until('it is gone', () => kept() === 0)
      if (path !== 'role') continue
      const { status, json } = await end()
      assert.deepEqual([status, json.message], [409, 'Nothing was changed: the role is already operator.'])
    }
    await ada.upload(file)
    assert.equal(kept(), existsSync('/proc/self/fd') ? 1 : 0)
    await ada.ask('DELETE', '/api/session')
    clock.pass(SWEEP_MS)
    await until('it is gone', () => kept() === 0)
  })

  it('replaces the same person’s earlier one, and nobody else’s', async () => {
    const ben = await office.enter('Ben')
    const { json: kept } = await ben.upload<Upload>('name,categoryId\nTom,7\n')
    const earlier = Array.from({ length: 20 }, () => begin(ada))
    const isReplaced = ({ answer }: { answer: () => string }) =>
      /^HTTP\/1\.1 404 [\s\S]*you chose another one/.test(answer())
    const replaced = () => earlier.filter(isReplaced).length
    await until('all but one are replaced', () => replaced() === earlier.length - 1)
    assert.equal((await (await office.enter('Cleo')).upload('name,categoryId\nMia,7\n')).status, 200)
    assert.equal((await ben.ask('POST', `/api/uploads/${kept.id}`, {})).status, 200)
    const { status, json } = await ada.upload<Upload>('name,categoryId\nMia,7\n')
    assert.deepEqual([status, json.found?.animals], [200, 1])
    await until('the last one is replaced, too', () => replaced() === earlier.length)
    await ada.upload('name,categoryId\nBo,7\n')
    assert.equal((await ada.ask('POST', `/api/uploads/${json.id}`, {})).status, 404)
    for (const { socket } of earlier) socket.destroy()
  })

  it('has few and short other fields', async () => {
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

  it('does not extend the time of other bodies, which end with 408', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '50' }
    using half = ada.begin('POST', '/api/session', { headers })
    half.send('{"name":')
    await until('it is given up', () => {
      clock.pass(BODY_MS)
      return half.received !== ''
    })
    assert.match(half.received, /^HTTP\/1\.1 408 /)
    await until('the connection is cut', () => {
      if (!half.socket.destroyed) half.send('x')
      clock.pass(BODY_MS)
      return half.socket.destroyed
    })
  })
})
