/**
 * What must be stored in the end: each acknowledged animal exactly once, and of the others only those that were
 * requested.
 */
import type { Played } from './play.ts'

export class Ledger {
  /** Names of acknowledged animals by id. */
  readonly #acknowledged = new Map<string, string>()
  /** Names of animals without a response. */
  readonly #open = new Set<string>()
  /** How many animals may have any name: one for each corrupted connection. */
  #spoiled = 0
  #duplicate: string | undefined

  note({ connection, answers, names }: Played): void {
    if (connection.port !== 'public') return
    for (const answer of answers) {
      if (answer.status !== 201) continue
      const id = /"id":(-?\d+)/.exec(answer.body)?.[1] ?? ''
      const name = (JSON.parse(answer.body) as { name: string }).name
      if (this.#acknowledged.has(id)) this.#duplicate = `the id ${id} was given twice`
      this.#acknowledged.set(id, name)
    }
    for (const [index, { creates }] of connection.requests.entries()) {
      if (creates && answers[index] === undefined) this.#open.add(names[index] ?? '')
    }
    if (connection.spoiled) this.#spoiled += 1
  }

  get size(): number {
    return this.#acknowledged.size
  }

  /** `exported`: NDJSON of everything that is stored. Returns what is wrong with it, or undefined. */
  wrongOf(exported: string): string | undefined {
    if (this.#duplicate !== undefined) return this.#duplicate
    const stored = new Map<string, string>()
    const names = new Set<string>()
    let strangers = 0
    for (const line of exported.split('\n')) {
      if (line === '') continue
      const id = /"id":(-?\d+)/.exec(line)?.[1] ?? ''
      const { name } = JSON.parse(line) as { name: string }
      if (names.has(name)) return `${name} is stored twice`
      names.add(name)
      stored.set(id, name)
      if (this.#acknowledged.has(id) || this.#open.has(name)) continue
      strangers += 1
      if (strangers > this.#spoiled) return `${name} is stored, though it was refused`
    }
    for (const [id, name] of this.#acknowledged) {
      if (stored.get(id) !== name) return `${name} was acknowledged as ${id}, and is not stored`
    }
    return undefined
  }
}
