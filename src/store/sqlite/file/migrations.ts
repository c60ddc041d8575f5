/**
 * The migrations of a SQLite file: under a lock, and never of one that is not ours or is newer than this software. A
 * released step never changes; a new need is a new step at the end.
 */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fold } from '../../../common/fold.ts'
import { foldedOf } from '../../sql.ts'
import { StoreUnusable } from '../../store.ts'
import { FILL_ARRIVALS } from '../../waits.ts'

/** Marks a file as ours ("pets" in ASCII), so that the database of another program is never migrated. */
export const APPLICATION_ID = 0x70657473
/** How long a look at the version waits for a process that is migrating the file. */
const LOOK_TIMEOUT_MS = 5_000

/** Whatever the connection gives otherwise. */
const AS_OBJECTS = { returnArrays: false, readBigInts: false } as const

/** Throws StoreUnusable, or what SQLite throws. */
export function migrate(db: DatabaseSync, path: string): void {
  assertOurs(db, path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  if (versionOf(db) === schema()) return
  addFunctions(db)
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

/** What the steps call. */
export function addFunctions(db: DatabaseSync): void {
  db.function('fold', (text) => fold(String(text)))
  db.function('folded_of', (text) => foldedOf(String(text)))
}

/** Throws StoreUnusable when the file is some other program's; one that is empty may become ours. */
export function assertOurs(db: DatabaseSync, path: string): void {
  // One statement, so that both are of one instant: another process may be making the file ours right now.
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

/** Throws StoreUnusable when this version of the software does not know the file's. */
export function assertKnown(version: number, path: string): void {
  if (version === 0 || MIGRATIONS.some(({ to }) => to === version)) return
  throw new StoreUnusable(
    version > schema()
      ? `${path} was written by a newer version of this software (schema ${version}, this one knows ${schema()}); update the software.`
      : `${path} is of schema ${version}, which no release ever wrote; nothing was changed.`,
  )
}

/** The one that this version of the software writes. */
export function schema(): number {
  return MIGRATIONS.at(-1)?.to ?? 0
}

export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version', AS_OBJECTS).get()?.user_version)
}

/** The version of a file of ours that is to be migrated; undefined where there is nothing to migrate. */
export function earlierVersion(path: string): number | undefined {
  if (!existsSync(path)) return undefined
  // Not to read only: what a crash or a power failure has left must be recovered first.
  using db = new DatabaseSync(path, { timeout: LOOK_TIMEOUT_MS })
  const version = versionOf(db)
  const { application_id: id } = db.prepare('PRAGMA application_id').get() ?? {}
  return id === APPLICATION_ID && version < schema() ? version : undefined
}

/** In order; `to` is the schema that a step makes. Those in between were never released. */
export const MIGRATIONS: readonly { readonly to: number; readonly sql: string }[] = [
  // 1.0.0.
  {
    to: 2,
    sql: `
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice, not even after a crash
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT CHECK (status IN ('available', 'pending', 'sold')) -- none when omitted on creation (O4)
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
    last_used_at_ms INTEGER
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
  `,
  },
  // 1.1.0.
  {
    to: 5,
    sql: `
  -- Keys are read by pages: by creation, by last use, and the newest of a lineage.
  CREATE INDEX keys_by_creation ON keys (created_at_ms, id);
  CREATE INDEX keys_by_last_use ON keys (last_used_at_ms, id);
  CREATE INDEX keys_by_lineage ON keys (lineage, created_at_ms, id);

  -- Counts the changes of animals and keys, whichever process makes them; the service compares its cache with it.
  CREATE TABLE changes (n INTEGER NOT NULL) STRICT;
  INSERT INTO changes VALUES (0);

  -- The ids of an import that is under way, or that was cut off. Its animals are not there for anybody until the row goes.
  CREATE TABLE unfinished_imports (first_id INTEGER PRIMARY KEY, last_id INTEGER NOT NULL) STRICT;

  CREATE TRIGGER pets_added AFTER INSERT ON pets
    WHEN NOT EXISTS (SELECT 1 FROM unfinished_imports WHERE new.id BETWEEN first_id AND last_id)
    BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER pets_changed AFTER UPDATE ON pets BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER pets_removed AFTER DELETE ON pets
    WHEN NOT EXISTS (SELECT 1 FROM unfinished_imports WHERE old.id BETWEEN first_id AND last_id)
    BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER imports_begun AFTER INSERT ON unfinished_imports BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER imports_changed AFTER UPDATE ON unfinished_imports BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER imports_finished AFTER DELETE ON unfinished_imports BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER keys_added AFTER INSERT ON keys BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER keys_removed AFTER DELETE ON keys BEGIN UPDATE changes SET n = n + 1; END;
  -- Not of last_used_at_ms, which the service writes all the time and reads nowhere but from the file.
  CREATE TRIGGER keys_changed AFTER UPDATE OF id, hash, lineage, plan, per_minute, per_day, label, created_at_ms,
    expires_at_ms, revoked_at_ms ON keys BEGIN UPDATE changes SET n = n + 1; END;

  -- The operator's side of the animals (../../records.ts).
  CREATE TABLE removed_pets (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT,
    removed_at_ms INTEGER NOT NULL
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
    to_values TEXT
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
  -- The ids that an import gave or brought, without gaps.
  CREATE TABLE import_ranges (
    import_n INTEGER NOT NULL,
    first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    PRIMARY KEY (import_n, first_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE categories (id INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT;

  -- Folded names by trigrams; holds the animals up to the id that pet_search names.
  CREATE VIRTUAL TABLE pet_names USING fts5 (name, content = '', contentless_delete = 1, tokenize = 'trigram');
  CREATE TABLE pet_search (indexed_to INTEGER NOT NULL) STRICT;
  INSERT INTO pet_search VALUES (-9223372036854775808);
  `,
  },
  {
    to: 18,
    sql: `
  -- Which database this is; a copy has another identity.
  CREATE TABLE identity (id TEXT NOT NULL, marks TEXT NOT NULL DEFAULT '') STRICT;
  INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));

  -- Who may use the office (../../people.ts).
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

  -- The office: a page of the animals without a status, and the tokens of its forms (FORMS_KEPT).
  CREATE INDEX pets_without_status ON pets (id) WHERE status IS NULL;
  CREATE TABLE additions (once TEXT PRIMARY KEY, pet_id INTEGER NOT NULL, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX additions_by_time ON additions (at_ms);

  CREATE INDEX journal_by_who ON journal (who, n);
  CREATE INDEX journal_of_no_subject ON journal (act, n) WHERE pet_id IS NULL AND key_id IS NULL;
  CREATE TABLE undone_ranges (first_id INTEGER PRIMARY KEY, import_n INTEGER NOT NULL) STRICT;

  -- Other systems' numbers of the animals, removed ones too, by which a sync knows them (../../sync.ts).
  CREATE TABLE pet_references (pet_id INTEGER PRIMARY KEY, reference TEXT NOT NULL UNIQUE) STRICT;

  -- Which key has created an animal over the interface, and when (../../origins.ts).
  CREATE TABLE created_ranges (
    first_id INTEGER PRIMARY KEY,
    last_id INTEGER NOT NULL,
    minute INTEGER NOT NULL, -- Unix time in minutes
    key_id TEXT NOT NULL
  ) STRICT;
  CREATE INDEX created_ranges_by_key ON created_ranges (key_id, minute);

  -- Bans as the service noted them, JSON (Ban of ../../rows.ts), and the end of the one that was lifted last, which
  -- the service has to see at once.
  ALTER TABLE keys ADD COLUMN ban TEXT;
  ALTER TABLE keys ADD COLUMN lifted_until_ms INTEGER;
  CREATE TRIGGER keys_unbanned AFTER UPDATE OF lifted_until_ms ON keys BEGIN UPDATE changes SET n = n + 1; END;

  -- What keys were used for (../../ledger.ts). A row is of one hour or, with a span of 24, of the day that it begins.
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
  -- The last save of each process, so that one whose outcome is unknown can be sent again.
  CREATE TABLE ledger_saves (process TEXT PRIMARY KEY, n INTEGER NOT NULL, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  -- Merges of categories, with the last one of each animal (../../categories.ts); words for statuses (../../words.ts).
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
  `,
  },
  // What was left of imports and of their undos ends: imports and undos are one transaction now. The form in which a
  // text is compared (../../sql.ts), the entry that an entry of the journal takes back, what the shelter is called.
  // Animals that go, and statuses that change, are counted by triggers; whatever adds animals counts them itself.
  {
    to: 19,
    sql: `
  DELETE FROM pets WHERE EXISTS (SELECT 1 FROM unfinished_imports WHERE pets.id BETWEEN first_id AND last_id
    AND first_id NOT IN (SELECT first_id FROM undone_ranges));
  INSERT INTO removed_pets
  SELECT pets.id, pets.name, category_id, status, undone_at_ms FROM undone_ranges JOIN unfinished_imports USING (first_id)
  JOIN imports ON n = import_n JOIN pets ON pets.id BETWEEN first_id AND last_id;
  DELETE FROM pets WHERE EXISTS (SELECT 1 FROM unfinished_imports WHERE pets.id BETWEEN first_id AND last_id);

  DROP TRIGGER pets_added;
  DROP TRIGGER pets_removed;
  DROP TABLE unfinished_imports;
  DROP TABLE undone_ranges;
  DROP TABLE pet_names;
  DROP TABLE pet_search;
  DROP TABLE IF EXISTS changed_names;
  DROP TABLE IF EXISTS purge_marks;
  DROP TABLE IF EXISTS purge_days;
  DROP TABLE IF EXISTS kept_maps;
  ALTER TABLE identity DROP COLUMN marks;

  ALTER TABLE pets ADD COLUMN folded TEXT;
  ALTER TABLE removed_pets ADD COLUMN folded TEXT;
  ALTER TABLE keys ADD COLUMN folded TEXT;
  ALTER TABLE pet_references ADD COLUMN folded TEXT NOT NULL DEFAULT '';
  ALTER TABLE journal ADD COLUMN undoes INTEGER;
  UPDATE pets SET folded = folded_of(name) WHERE folded_of(name) IS NOT NULL;
  UPDATE removed_pets SET folded = folded_of(name) WHERE folded_of(name) IS NOT NULL;
  UPDATE keys SET folded = folded_of(label) WHERE folded_of(label) IS NOT NULL;
  UPDATE pet_references SET folded = reference;
  CREATE UNIQUE INDEX references_by_folded ON pet_references (folded);
  UPDATE OR IGNORE pet_references SET folded = fold(reference) WHERE folded <> fold(reference);

  CREATE TABLE shelter (member TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TRIGGER pets_added AFTER INSERT ON pets BEGIN UPDATE changes SET n = n + 1; END;
  CREATE TRIGGER pets_removed AFTER DELETE ON pets BEGIN
    UPDATE changes SET n = n + 1;
    UPDATE pet_counts SET n = n - 1 WHERE status = coalesce(old.status, 'none');
  END;
  CREATE TRIGGER pets_moved AFTER UPDATE OF status ON pets WHEN old.status IS NOT new.status BEGIN
    UPDATE pet_counts SET n = n - 1 WHERE status = coalesce(old.status, 'none');
    UPDATE pet_counts SET n = n + 1 WHERE status = coalesce(new.status, 'none');
  END;
  `,
  },
  // Which register this is (../../words.ts): that of the file until now, of which feeds of 2.0.0 have their ids.
  { to: 20, sql: "INSERT INTO shelter (member, value) SELECT 'register', id FROM identity" },
  // The days on which animals came, as lists have them (../../origins.ts).
  { to: 21, sql: 'CREATE TABLE arrivals (pet_id INTEGER PRIMARY KEY, day INTEGER NOT NULL) STRICT' },
  // The names that people had, which the journal has: nobody else gets them (../../people.ts).
  {
    to: 22,
    sql: 'CREATE TABLE former_names (name TEXT PRIMARY KEY, folded TEXT NOT NULL, person_n INTEGER NOT NULL) STRICT',
  },
  // The entry of the act on several animals that an entry of the journal is a part of (../../author.ts).
  {
    to: 23,
    sql: `
  ALTER TABLE journal ADD COLUMN part_of INTEGER;
  CREATE INDEX journal_by_act ON journal (part_of, n) WHERE part_of IS NOT NULL;
  `,
  },
  // Since when animals wait (../../waits.ts).
  {
    to: 24,
    sql: `
  CREATE TABLE arrivals_and_returns (pet_id INTEGER PRIMARY KEY, day INTEGER, at_ms INTEGER, returned_ms INTEGER) STRICT;
  INSERT INTO arrivals_and_returns (pet_id, day) SELECT pet_id, day FROM arrivals;
  DROP TABLE arrivals;
  ALTER TABLE arrivals_and_returns RENAME TO arrivals;${FILL_ARRIVALS}
  `,
  },
  // The ledger by day and outcome (../../ledger.ts). The hours of 2.1 are summed up.
  {
    to: 25,
    sql: `
  CREATE TABLE ledger_days (
    day INTEGER NOT NULL, -- since 1970
    lineage TEXT NOT NULL,
    operation TEXT NOT NULL,
    outcome TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (day, lineage, operation, outcome)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO ledger_days SELECT hour / 24, lineage, operation, outcome, sum(n) FROM (
    SELECT hour, lineage, operation, 'admitted' AS outcome, admitted AS n FROM ledger UNION ALL
    SELECT hour, lineage, operation, 'refusedByMinute', refused_by_minute FROM ledger UNION ALL
    SELECT hour, lineage, operation, 'refusedByDay', refused_by_day FROM ledger UNION ALL
    SELECT hour, lineage, operation, 'refusedByBan', refused_by_ban FROM ledger UNION ALL
    SELECT hour, lineage, operation, 'answered4xx', answered_4xx FROM ledger UNION ALL
    SELECT hour, lineage, operation, 'answered5xx', answered_5xx FROM ledger
  ) WHERE n > 0 GROUP BY 1, 2, 3, 4;
  DROP TABLE ledger;
  DROP TABLE ledger_saves;
  `,
  },
]

/** What each step came to when it was added, as a test computes it: files that have had a step never get it anew. */
export const STEP_HASHES =
  '816228fb a7e1590b 26913d9c f85fe3b8 33f811ab e8a62b22 17bc0495 01571e75 c65ae1c8 43255a58'.split(' ')
