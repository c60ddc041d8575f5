/** The peer's animals in SQLite: WAL mode, each create a durable commit. */
import { DatabaseSync } from 'node:sqlite'
import type { Animal, NewAnimal } from '../animals.ts'
import type { Pets } from './pets.ts'

/** Rows come as arrays, because node:sqlite reads objects slowly. */
type PetRow = [id: number, name: string, categoryId: number, status: NewAnimal['status'] | null]

function toPet([id, name, categoryId, status]: PetRow): Animal {
  return { id, name, categoryId, ...(status && { status }) }
}

export function openSqlitePets(path: string): Pets {
  const database = new DatabaseSync(path)
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS pets (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT
    );
    CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
    CREATE TABLE IF NOT EXISTS api_keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE);
  `)
  const columns = 'id, name, category_id, status'
  const listAll = database.prepare(`SELECT ${columns} FROM pets ORDER BY id DESC LIMIT ?`)
  const listByStatus = database.prepare(`SELECT ${columns} FROM pets WHERE status = ? ORDER BY id DESC LIMIT ?`)
  const getOne = database.prepare(`SELECT ${columns} FROM pets WHERE id = ?`)
  for (const statement of [listAll, listByStatus, getOne]) statement.setReturnArrays(true)
  const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  return {
    fill(all, keyHash) {
      database.exec('BEGIN')
      for (const { name, categoryId, status } of all) insert.run(name, categoryId, status ?? null)
      database.prepare('INSERT INTO api_keys (id, hash) VALUES (?, ?)').run('bench', keyHash)
      database.exec('COMMIT')
    },
    keyHashes: () =>
      database
        .prepare('SELECT hash FROM api_keys')
        .all()
        .map(({ hash }) => String(hash)),
    list(limit, status) {
      const rows = status === undefined ? listAll.all(limit) : listByStatus.all(status, limit)
      return (rows as unknown as PetRow[]).map(toPet)
    },
    add({ name, categoryId, status }) {
      const { lastInsertRowid } = insert.run(name, categoryId, status ?? null)
      return { id: Number(lastInsertRowid), name, categoryId, ...(status && { status }) }
    },
    get(id) {
      const row = getOne.get(id) as unknown as PetRow | undefined
      return row && toPet(row)
    },
    close: () => database.close(),
  }
}
