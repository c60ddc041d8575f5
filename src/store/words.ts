/** The shelter's words for statuses, and its settings. The API and files use the standard words. */
import { isPetStatus, type PetStatus } from '../contract/schemas.ts'
import { wordValues } from '../rules/journal.ts'
import { type SharedWord, type StatusWords, sharedWord } from '../rules/names.ts'
import type { Author } from './author.ts'
import { write } from './journal.ts'
import { Repository, type Sql, text } from './sql.ts'

const REGISTER = 'register'
const OWN = `('${REGISTER}', 'purge')` // the last look for what is to be purged (./records.ts)

export class ShelterWords extends Repository {
  ofStatuses(): Promise<StatusWords> {
    return statusWords(this.db.read)
  }

  /** All or none. If two words would look alike, returns that word and changes nothing. */
  set(words: ReadonlyMap<PetStatus, string | undefined>, by: Author): Promise<SharedWord | undefined> {
    return this.db.write(async (sql) => {
      await this.db.dialect.lock(sql, 'status_words')
      const before = await statusWords(sql)
      const changed = [...words.keys()].filter((status) => words.get(status) !== before[status])
      const shared = sharedWord(before, words, changed)
      if (shared !== undefined) return shared
      for (const status of changed) await upsert(sql, 'status_words', status, words.get(status))
      const entry = (status: PetStatus) => {
        return {
          act: 'word',
          from: wordValues(status, before[status]),
          to: wordValues(status, words.get(status)),
        } as const
      }
      await write(this.db, sql, by, changed.map(entry))
      return undefined
    })
  }

  /** The identity of the register, which backups, copies and dumps keep. */
  async register(): Promise<string> {
    const [row] = await this.db.read(`SELECT value FROM shelter WHERE member = '${REGISTER}'`)
    return text(row?.[0])
  }

  async shelter(): Promise<Readonly<Record<string, string>>> {
    return shelterOf(this.db.read)
  }

  /** Sets these members, or removes the empty ones. */
  setShelter(values: Readonly<Record<string, string>>, by: Author): Promise<void> {
    return this.db.write(async (sql) => {
      await this.db.dialect.lock(sql, 'shelter')
      const before = await shelterOf(sql)
      const changed = Object.entries(values).filter(([member, value]) => value !== (before[member] ?? ''))
      if (changed.length === 0) return
      for (const [member, value] of changed) await upsert(sql, 'shelter', member, value || undefined)
      const from = JSON.stringify(Object.fromEntries(changed.map(([member]) => [member, before[member] ?? ''])))
      await write(this.db, sql, by, [{ act: 'shelter', from, to: JSON.stringify(Object.fromEntries(changed)) }])
    })
  }
}

export async function statusWords(sql: Sql): Promise<StatusWords> {
  const rows = await sql('SELECT status, word FROM status_words')
  return Object.fromEntries(rows.flatMap(([status, word]) => (isPetStatus(status) ? [[status, text(word)]] : [])))
}

async function shelterOf(sql: Sql): Promise<Readonly<Record<string, string>>> {
  const rows = await sql(`SELECT member, value FROM shelter WHERE member NOT IN ${OWN} ORDER BY member`)
  return Object.fromEntries(rows.map(([member, value]) => [text(member), text(value)]))
}

async function upsert(sql: Sql, table: keyof typeof KEYS, key: string, value: string | undefined): Promise<void> {
  await sql(`DELETE FROM ${table} WHERE ${KEYS[table]} = $1`, [key])
  if (value !== undefined) await sql(`INSERT INTO ${table} VALUES ($1, $2)`, [key, value])
}

const KEYS = { status_words: 'status', shelter: 'member' } as const
