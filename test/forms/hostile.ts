/**
 * Company that is slow, half-open or hostile, beside the connection that is judged: requests in pieces with pauses,
 * broken off or spoiled at any byte, closed on one side, reset, or left unread. Nobody judges their answers; they may
 * change none of the others'. So they come from another address, and their keys only read, or are used up.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../support/app.ts'
import { KEYS, SOME_ID, write } from './features.ts'
import { anyForm } from './pairs.ts'

/** Another address of this machine. */
const ADDRESS = '127.0.0.2'
const MOST_OPEN = 12
const MOST_PIECES = 4
const PAUSES_MS = [0, 0, 1, 5]
const ENDS = ['stay', 'half', 'reset', 'leave'] as const

export class Hostile implements Disposable {
  readonly #app: TestApp
  readonly #random: () => number
  readonly #keys: { readonly reading: string; readonly spent: string }
  readonly #open: Socket[] = []

  private constructor(app: TestApp, random: () => number, keys: { reading: string; spent: string }) {
    this.#app = app
    this.#random = random
    this.#keys = keys
  }

  static async beside(app: TestApp, random: () => number): Promise<Hostile> {
    const reading = await app.issue()
    const spent = await app.issue('enterprise', { perMinute: 1_000, perDay: 1 })
    await app.call({ key: spent, localAddress: ADDRESS })
    return new Hostile(app, random, { reading, spent })
  }

  /** One more begins; it goes on while others are judged. */
  come(): void {
    const socket = connect({ port: this.#app.port, host: '127.0.0.1', localAddress: ADDRESS, allowHalfOpen: true })
    socket.on('error', () => {})
    this.#open.push(socket)
    if (this.#open.length > MOST_OPEN) this.#open.shift()?.destroy()
    void this.#play(socket, this.#pieces(), this.#pick(ENDS) ?? 'leave', this.#random() < 0.5)
  }

  /** What the service has logged as an error; nothing that a client sends is one. */
  complaint(): string | undefined {
    const line = this.#app
      .log()
      .split('\n')
      .find((each) => /"level":[56]0/.test(each))
    return line === undefined ? undefined : `an error is logged: ${line}`
  }

  [Symbol.dispose](): void {
    for (const socket of this.#open) socket.destroy()
  }

  async #play(socket: Socket, pieces: readonly string[], end: (typeof ENDS)[number], reads: boolean): Promise<void> {
    if (reads) socket.resume()
    for (const piece of pieces) {
      socket.write(piece, 'latin1')
      await sleep(this.#pick(PAUSES_MS))
    }
    if (end === 'half') socket.end()
    if (end === 'reset') socket.resetAndDestroy()
    if (end === 'leave') socket.destroy()
  }

  /** One to three forms in a row, one character a byte. */
  #pieces(): readonly string[] {
    const forms = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () =>
      write(anyForm(this.#random), (text) => text).join(''),
    )
    const all = forms.join('')
    // What adds an animal is refused.
    const key = all.includes('POST') ? this.#keys.spent : this.#keys.reading
    const whole = [KEYS.large, KEYS.small].reduce(
      (text, name) => text.replaceAll(name, key),
      all.replaceAll(SOME_ID, '1'),
    )
    const spoiled = this.#random() < 0.3 ? this.#spoil(whole) : whole
    const kept = this.#random() < 0.4 ? spoiled.slice(0, this.#at(spoiled)) : spoiled
    const cuts = Array.from({ length: Math.floor(this.#random() * MOST_PIECES) }, () => this.#at(kept)).sort(
      (a, b) => a - b,
    )
    return [0, ...cuts].map((from, n) => kept.slice(from, cuts[n]))
  }

  /** Changes, adds or drops a byte. */
  #spoil(text: string): string {
    const at = this.#at(text)
    const byte = String.fromCharCode(Math.floor(this.#random() * 256))
    const [put, skip] = this.#pick([
      [byte, 1],
      [byte, 0],
      ['', 1],
    ] as const) ?? [byte, 1]
    return text.slice(0, at) + put + text.slice(at + skip)
  }

  #at(text: string): number {
    return Math.floor(this.#random() * text.length)
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)]
  }
}
