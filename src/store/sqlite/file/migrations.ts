/** The migrations of a SQLite file, under a lock. A released step never changes. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { FILL_ARRIVALS, fillJournal } from '../../journal-columns.ts'
import { sumHours } from '../../ledger.ts'
import { StoreUnusable } from '../../store.ts'

/** Marks a file as ours ("pets" in ASCII), so that other databases are never migrated. */
export const APPLICATION_ID = 0x70657473
const LOOK_TIMEOUT_MS = 5_000

const AS_OBJECTS = { returnArrays: false, readBigInts: false } as const

/** Throws StoreUnusable or an error of SQLite. */
export function migrate(db: DatabaseSync, path: string): void {
  assertOurs(db, path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  if (versionOf(db) === schema()) return
  db.exec('BEGIN IMMEDIATE')
  try {
    const from = versionOf(db)
    assertKnown(from, path)
    for (const { to, sql } of MIGRATIONS) if (to > from) db.exec(sql)
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${schema()}; COMMIT`)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Throws StoreUnusable for a file of another program. An empty file can become ours. */
export function assertOurs(db: DatabaseSync, path: string): void {
  // One statement, so that both values are of the same instant.
  const { id, tables } =
    db
      .prepare(
        'SELECT application_id AS id, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id',
        AS_OBJECTS,
      )
      .get() ?? {}
  if (id !== APPLICATION_ID && tables !== 0) {
    throw new StoreUnusable(`${path} is a SQLite database of some other program; name another file with --database.`)
  }
}

export function assertKnown(version: number, path: string): void {
  if (version === 0 || MIGRATIONS.some(({ to }) => to === version)) return
  throw new StoreUnusable(
    version > schema()
      ? `${path} was written by a newer version of this software (schema ${version}, this one knows ${schema()}); update the software.`
      : `${path} was written by a version before 2.1 (schema ${version}). Update to 2.1 first, and then to this version. Nothing was changed.`,
  )
}

export function schema(): number {
  return MIGRATIONS.at(-1)?.to ?? 0
}

export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version', AS_OBJECTS).get()?.user_version)
}

/** The version of a file that must be migrated; undefined for others. */
export function earlierVersion(path: string): number | undefined {
  if (!existsSync(path)) return undefined
  // Not read-only: a crash might need recovery first.
  using db = new DatabaseSync(path, { timeout: LOOK_TIMEOUT_MS })
  const version = versionOf(db)
  const { application_id: id } = db.prepare('PRAGMA application_id').get() ?? {}
  return id === APPLICATION_ID && version < schema() ? version : undefined
}

/** In order. `to` is the schema after the step. The first step creates the schema of 2.1. */
export const MIGRATIONS: readonly { readonly to: number; readonly sql: string }[] = [
  {
    to: 23,
    sql: `
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice, not even after a crash
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT CHECK (status IN ('available', 'pending', 'sold')), -- none when omitted on creation (O4)
    folded TEXT
  ) STRICT;
  -- An index per status grows only at its end; one index over all statuses would be written in several places.
  CREATE INDEX pets_available ON pets (id) WHERE status = 'available';
  CREATE INDEX pets_pending ON pets (id) WHERE status = 'pending';
  CREATE INDEX pets_sold ON pets (id) WHERE status = 'sold';

  -- Animals by status, kept by every statement that changes them: counting ten million rows takes too long to do often.
  CREATE TABLE pet_counts (status TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO pet_counts VALUES ('available', 0), ('pending', 0), ('sold', 0), ('none', 0);

  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE, -- SHA-256, base64url; the key itself is nowhere
    lineage TEXT NOT NULL,
    plan TEXT NOT NULL,
    per_minute INTEGER NOT NULL,
    per_day INTEGER NOT NULL,
    label TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    revoked_at_ms INTEGER,
    last_used_at_ms INTEGER,
    ban TEXT,
    lifted_until_ms INTEGER,
    folded TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE counters (
    subject TEXT PRIMARY KEY,
    minute INTEGER NOT NULL,
    minute_count INTEGER NOT NULL,
    day INTEGER NOT NULL,
    day_count INTEGER NOT NULL,
    refused_at_ms TEXT NOT NULL, -- a JSON array
    banned_until_ms INTEGER NOT NULL,
    ban_limit INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_creation ON keys (created_at_ms, id);
  CREATE INDEX keys_by_last_use ON keys (last_used_at_ms, id);
  CREATE INDEX keys_by_lineage ON keys (lineage, created_at_ms, id);

  -- Counts the changes of animals and keys, whichever process makes them; the service compares its cache with it.
  CREATE TABLE changes (n INTEGER NOT NULL) STRICT;
  INSERT INTO changes VALUES (0);
  CREATE TRIGGER pets_changed AFTER UPDATE ON pets BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER keys_added AFTER INSERT ON keys BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER keys_removed AFTER DELETE ON keys BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER keys_changed AFTER UPDATE OF id, hash, lineage, plan, per_minute, per_day, label, created_at_ms,
    expires_at_ms, revoked_at_ms ON keys BEGIN UPDATE changes SET n = n + 1; END;

  CREATE TABLE removed_pets (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT,
    removed_at_ms INTEGER NOT NULL,
    folded TEXT
  ) STRICT;
  CREATE INDEX removed_pets_by_time ON removed_pets (removed_at_ms);

  CREATE TABLE journal (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    who TEXT NOT NULL,
    act TEXT NOT NULL,
    pet_id INTEGER,
    key_id TEXT,
    from_values TEXT, -- JSON objects
    to_values TEXT,
    undoes INTEGER,
    part_of INTEGER
  ) STRICT;
  CREATE INDEX journal_by_pet ON journal (pet_id, n) WHERE pet_id IS NOT NULL;
  CREATE INDEX journal_by_key ON journal (key_id, n) WHERE key_id IS NOT NULL;

  CREATE TABLE imports (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    who TEXT NOT NULL,
    source TEXT NOT NULL,
    animals INTEGER NOT NULL,
    undone_at_ms INTEGER
  ) STRICT;
  CREATE TABLE import_ranges (
    import_n INTEGER NOT NULL,
    first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    PRIMARY KEY (import_n, first_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE categories (id INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT;

  -- Which database this is; a copy has another identity.
  CREATE TABLE identity (id TEXT NOT NULL) STRICT;
  INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));

  CREATE TABLE people (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    passphrase TEXT,
    created_at_ms INTEGER NOT NULL,
    last_seen_at_ms INTEGER,
    revoked_at_ms INTEGER,
    invitation_hash TEXT UNIQUE,
    invitation_ends_at_ms INTEGER
  ) STRICT;
  CREATE TABLE sessions (
    hash TEXT PRIMARY KEY,
    person_n INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    seen_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_by_person ON sessions (person_n);
  CREATE INDEX pets_without_status ON pets (id) WHERE status IS NULL;
  -- The tokens of the office's forms (FORMS_KEPT).
  CREATE TABLE additions (once TEXT PRIMARY KEY, pet_id INTEGER NOT NULL, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX additions_by_time ON additions (at_ms);
  CREATE INDEX journal_by_who ON journal (who, n);
  CREATE INDEX journal_of_no_subject ON journal (act, n) WHERE pet_id IS NULL AND key_id IS NULL;
  CREATE TABLE pet_references (pet_id INTEGER PRIMARY KEY, reference TEXT NOT NULL UNIQUE, folded TEXT NOT NULL DEFAULT '') STRICT;
  CREATE TABLE created_ranges (
    first_id INTEGER PRIMARY KEY,
    last_id INTEGER NOT NULL,
    minute INTEGER NOT NULL, -- Unix time in minutes
    key_id TEXT NOT NULL
  ) STRICT;
  CREATE INDEX created_ranges_by_key ON created_ranges (key_id, minute);
  CREATE TRIGGER keys_unbanned AFTER UPDATE OF lifted_until_ms ON keys BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TABLE ledger (
    span INTEGER NOT NULL,
    hour INTEGER NOT NULL, -- since 1970
    lineage TEXT NOT NULL,
    operation TEXT NOT NULL,
    admitted INTEGER NOT NULL,
    refused_by_minute INTEGER NOT NULL,
    refused_by_day INTEGER NOT NULL,
    refused_by_ban INTEGER NOT NULL,
    answered_4xx INTEGER NOT NULL,
    answered_5xx INTEGER NOT NULL,
    PRIMARY KEY (span, hour, lineage, operation)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE ledger_saves (process TEXT PRIMARY KEY, n INTEGER NOT NULL, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE merges (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    who TEXT NOT NULL,
    from_id INTEGER NOT NULL,
    label TEXT,
    into_id INTEGER NOT NULL,
    animals INTEGER NOT NULL,
    entry_n INTEGER NOT NULL, -- in the journal
    undone_at_ms INTEGER
  ) STRICT;
  CREATE TABLE merged_pets (pet_id INTEGER PRIMARY KEY, merge_n INTEGER NOT NULL) STRICT;
  CREATE TABLE status_words (status TEXT PRIMARY KEY, word TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX references_by_folded ON pet_references (folded);
  CREATE TABLE shelter (member TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO shelter (member, value) SELECT 'register', id FROM identity;
  CREATE TRIGGER pets_added AFTER INSERT ON pets BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER pets_removed AFTER DELETE ON pets BEGIN
    UPDATE changes SET n = n + 1;
    UPDATE pet_counts SET n = n - 1 WHERE status = coalesce(old.status, 'none');
  END;
  CREATE TRIGGER pets_moved AFTER UPDATE OF status ON pets WHEN old.status IS NOT new.status BEGIN
    UPDATE pet_counts SET n = n - 1 WHERE status = coalesce(old.status, 'none');
    UPDATE pet_counts SET n = n + 1 WHERE status = coalesce(new.status, 'none');
  END;
  CREATE TABLE arrivals (pet_id INTEGER PRIMARY KEY, day INTEGER NOT NULL) STRICT;
  CREATE TABLE former_names (name TEXT PRIMARY KEY, folded TEXT NOT NULL, person_n INTEGER NOT NULL) STRICT;
  CREATE INDEX journal_by_act ON journal (part_of, n) WHERE part_of IS NOT NULL;
  `,
  },
  // Arrivals with returns, the ledger by day, layouts, lists, and the columns of the journal. Merges are gone.
  {
    to: 29,
    sql: `
  CREATE TABLE arrivals_and_returns (
    pet_id INTEGER PRIMARY KEY, day INTEGER, at_ms INTEGER, returned_ms INTEGER, left_ms INTEGER
  ) STRICT;
  INSERT INTO arrivals_and_returns (pet_id, day) SELECT pet_id, day FROM arrivals;
  DROP TABLE arrivals;
  ALTER TABLE arrivals_and_returns RENAME TO arrivals;
  CREATE TABLE ledger_days (
    day INTEGER NOT NULL, -- since 1970
    lineage TEXT NOT NULL,
    operation TEXT NOT NULL,
    outcome TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (day, lineage, operation, outcome)
  ) STRICT, WITHOUT ROWID;
  ${sumHours('ledger')};
  DROP TABLE ledger;
  DROP TABLE ledger_saves;
  DROP TABLE merges;
  DROP TABLE merged_pets;
  DELETE FROM shelter WHERE member LIKE 'skipped %';
  CREATE TABLE layouts (
    n INTEGER PRIMARY KEY AUTOINCREMENT, mapping TEXT NOT NULL, list TEXT NOT NULL, who TEXT NOT NULL, at_ms INTEGER NOT NULL
  ) STRICT;
  -- Two lists can have the same references. 'former' is the status before a missing animal was set to sold.
  CREATE TABLE list_references (
    pet_id INTEGER PRIMARY KEY, reference TEXT NOT NULL, folded TEXT NOT NULL, list TEXT NOT NULL DEFAULT '', former TEXT
  ) STRICT;
  INSERT INTO list_references (pet_id, reference, folded) SELECT pet_id, reference, folded FROM pet_references;
  DROP TABLE pet_references;
  ALTER TABLE list_references RENAME TO pet_references;
  CREATE UNIQUE INDEX references_by_folded ON pet_references (folded, list);
  ALTER TABLE journal ADD COLUMN import_n INTEGER;
  ALTER TABLE journal ADD COLUMN status_was TEXT;
  ALTER TABLE journal ADD COLUMN status_now TEXT;
  ALTER TABLE journal ADD COLUMN category_was INTEGER;
  ALTER TABLE journal ADD COLUMN category_now INTEGER;
  ALTER TABLE journal ADD COLUMN undone_by INTEGER;
  CREATE INDEX journal_by_import ON journal (import_n, n) WHERE import_n IS NOT NULL;
  ${fillJournal((json, member) => `${json} -> '${member}'`)}
  ${FILL_ARRIVALS}
  `,
  },
]

/** The hash of each step when it was added. A test computes the next. */
export const STEP_HASHES = ['1d7d925f', '29407457']
