/** Plays one connection against a port, and notes what comes back. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Read, readAnswers } from './answers.ts'
import type { Connection } from './connections.ts'

/**
 * A response that takes longer after the one before it counts as missing. The service needs ms; the machine may be
 * busy.
 */
const ANSWER_MS = 30_000
/** How long the other side may take to close the connection when all answers are there. */
const CLOSE_MS = 30_000
/** How long to wait for more responses than expected. */
const MORE_MS = 2

export interface Played extends Read {
  readonly connection: Connection
  /** The name that each request gave its animal. */
  readonly names: readonly string[]
  /** Whether the other side closed the connection. */
  readonly closed: boolean
  /**
   * Whether it did so while bytes for it were on their way: such a reset takes answers with it that were sent before.
   */
  readonly wasReset: boolean
  /** Whether the patience ended before the answers came, or before the other side closed. */
  readonly timedOut: boolean
}

export interface Address {
  readonly publicPort: number
  readonly operatorPort: number
  /** By placeholder: the keys. */
  readonly texts: Readonly<Record<string, string>>
}

/** `takeName` gives names of seven characters, each once. */
export async function play(connection: Connection, address: Address, takeName: () => string): Promise<Played> {
  const names = connection.requests.map(() => takeName())
  const fill = (text: string) =>
    text.replace(
      /\{([A-Z]+)(\d?)\}/g,
      (whole, word, digit) => (word === 'NAME' ? names[digit] : address.texts[word]) ?? whole,
    )
  const port = connection.port === 'public' ? address.publicPort : address.operatorPort
  const methods = connection.requests
    .map(({ method }) => method)
    .slice(0, connection.spoiled ? connection.known : undefined)
  using peer = new Peer(port, connection.reads)
  for (const { send, pauseMs } of connection.pieces) {
    peer.socket.write(fill(send), 'latin1')
    await (pauseMs === 0 ? new Promise(setImmediate) : sleep(pauseMs))
  }
  if (connection.end === 'finish') peer.socket.end()
  let timedOut = false
  if (connection.end === 'reset' || connection.end === 'leave') {
    await sleep(connection.endAfterMs)
    if (connection.end === 'reset') peer.socket.resetAndDestroy()
  } else {
    const whole = () => readAnswers(peer.received, methods).answers.length
    const isDone = connection.end === 'finish' ? () => peer.closed : () => peer.closed || whole() >= connection.known
    let answered = -1
    while (!isDone() && whole() > answered) {
      answered = whole()
      await peer.until(() => isDone() || whole() > answered, ANSWER_MS)
    }
    timedOut = !(await peer.until(isDone, answered >= connection.known ? CLOSE_MS : 0))
    if (connection.end === 'read') await sleep(MORE_MS)
  }
  return {
    connection,
    names,
    closed: peer.closed,
    wasReset: peer.wasReset,
    timedOut,
    ...readAnswers(peer.received, methods),
  }
}

class Peer implements Disposable {
  readonly socket: Socket
  received = ''
  closed = false
  wasReset = false
  #changed: () => void = () => {}

  constructor(port: number, reads: boolean) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const close = () => {
      this.closed = true
      this.#changed()
    }
    this.socket.on('error', () => (this.wasReset = true)).on('close', close)
    if (!reads) return
    this.socket.on('end', close)
    this.socket.setEncoding('latin1').on('data', (text: string) => {
      this.received += text
      this.#changed()
    })
  }

  /** Whether `holds` becomes true in time. */
  until(holds: () => boolean, patienceMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), patienceMs)
      this.#changed = () => {
        if (!holds()) return
        clearTimeout(timer)
        resolve(true)
      }
      this.#changed()
    })
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}
