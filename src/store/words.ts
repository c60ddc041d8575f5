/**
 * The shelter's own words: for statuses, as people see them, and what it is called. The interface and files keep
 * theirs. Those who set words wait for each other, so that no two statuses look alike.
 */
import { foldWord } from '../common/fold.ts'
import { isPetStatus, PetStatus } from '../contract/schemas.ts'
import type { Author } from './author.ts'
import { wordValues, write } from './journal.ts'
import { type Database, each, type Sql, text } from './sql.ts'

/** By status; a status without a word is called as the interface calls it. */
export type StatusWords = Readonly<Partial<Record<PetStatus, string>>>

/** A status that was to have a word that is taken: by another status, or by what is said beside the statuses. */
export interface SharedWord {
  readonly status: PetStatus
  readonly other: string
}

/** The member of the shelter that nobody sets. */
const REGISTER = 'register'

/** Said of animals beside the statuses. */
const OTHERS = ['No status', 'Removed', 'All']

/** The word for a status that the shelter has not given one. */
function plainWord(status: PetStatus): string {
  return `${status.slice(0, 1).toUpperCase()}${status.slice(1)}`
}

export class Words {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  ofStatuses(): Promise<StatusWords> {
    return statusWords(this.#db.read)
  }

  /**
   * Sets the words of these statuses, or takes them away if undefined; all or none. If what people would then see is
   * not distinct, it is returned, and nothing is done.
   */
  set(words: ReadonlyMap<PetStatus, string | undefined>, by: Author): Promise<SharedWord | undefined> {
    return this.#db.write(async (sql) => {
      await each(sql, this.#db.dialect.lock('status_words'))
      const before = await statusWords(sql)
      const changed = [...words.keys()].filter((status) => words.get(status) !== before[status])
      const shared = sharedWord(before, words, changed)
      if (shared !== undefined) return shared
      for (const status of changed) {
        const word = words.get(status)
        await sql('DELETE FROM status_words WHERE status = $1', [status])
        if (word !== undefined) await sql('INSERT INTO status_words (status, word) VALUES ($1, $2)', [status, word])
      }
      const entries = changed.map((status) => ({
        from: wordValues(status, before[status]),
        to: wordValues(status, words.get(status)),
      }))
      await write(this.#db, sql, by, 'word', ...entries)
      return undefined
    })
  }

  /** Which register this is: it goes with the data into a backup, a copy, a dump and another engine. */
  async register(): Promise<string> {
    const [row] = await this.#db.read(`SELECT value FROM shelter WHERE member = '${REGISTER}'`)
    return text(row?.[0])
  }

  /** What the shelter is called, and where it is: by member, as `setShelter` was given them. */
  async shelter(): Promise<Readonly<Record<string, string>>> {
    return shelterOf(this.#db.read)
  }

  /** Sets these members, or takes them away if empty. */
  setShelter(values: Readonly<Record<string, string>>, by: Author): Promise<void> {
    return this.#db.write(async (sql) => {
      await each(sql, this.#db.dialect.lock('shelter'))
      const before = await shelterOf(sql)
      const changed = Object.entries(values).filter(([member, value]) => value !== (before[member] ?? ''))
      if (changed.length === 0) return
      for (const [member, value] of changed) {
        await sql('DELETE FROM shelter WHERE member = $1', [member])
        if (value !== '') await sql('INSERT INTO shelter (member, value) VALUES ($1, $2)', [member, value])
      }
      const from = JSON.stringify(Object.fromEntries(changed.map(([member]) => [member, before[member] ?? ''])))
      await write(this.#db, sql, by, 'shelter', { from, to: JSON.stringify(Object.fromEntries(changed)) })
    })
  }
}

/** The first of the changed statuses that would look like another one. */
function sharedWord(
  before: StatusWords,
  words: ReadonlyMap<PetStatus, string | undefined>,
  changed: readonly PetStatus[],
): SharedWord | undefined {
  const shown = PetStatus.enum.map((status) => {
    const word = words.has(status) ? words.get(status) : before[status]
    return [status, foldWord(word ?? plainWord(status))] as const
  })
  for (const status of changed) {
    const wanted = shown.find(([one]) => one === status)?.[1]
    const other =
      shown.find(([one, word]) => one !== status && (word === wanted || one === wanted))?.[0] ??
      OTHERS.find((one) => foldWord(one) === wanted)
    if (other !== undefined) return { status, other }
  }
  return undefined
}

export async function statusWords(sql: Sql): Promise<StatusWords> {
  const rows = await sql('SELECT status, word FROM status_words')
  return Object.fromEntries(rows.flatMap(([status, word]) => (isPetStatus(status) ? [[status, text(word)]] : [])))
}

async function shelterOf(sql: Sql): Promise<Readonly<Record<string, string>>> {
  const rows = await sql(`SELECT member, value FROM shelter WHERE member <> '${REGISTER}' ORDER BY member`)
  return Object.fromEntries(rows.map(([member, value]) => [text(member), text(value)]))
}
