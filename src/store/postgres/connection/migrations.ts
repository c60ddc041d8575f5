/** One text adds what is missing to a new database or one of 2.1, also in several processes at a time. */
import { FILL_ARRIVALS, fillJournal, IS_UNFILLED } from '../../journal-columns.ts'
import { sumHours } from '../../ledger.ts'
import { int, type Sql } from '../../sql.ts'
import { StoreUnusable } from '../../store.ts'

/** The version of 2.1. */
const FIRST_VERSION = 20

/** The hash of TABLES at each version since 2.1. A test computes the next. */
export const TABLES_HASHES = ['8a99b8c4213682a5', '4e16be157d157a8e']
const VERSION = FIRST_VERSION - 1 + TABLES_HASHES.length

interface MigrationDatabase {
  readonly longQuery: Sql
  transaction<T>(begin: string, work: (sql: Sql) => Promise<T>): Promise<T>
}

/** Calls `onUpgrade` if it changed tables of an earlier version. Throws StoreUnusable. */
export async function migrate(
  database: MigrationDatabase,
  onUpgrade: (sentence: string) => void = () => {},
): Promise<void> {
  if ((await versionOf(database)) === VERSION && !(await hasEarlierEntries(database))) {
    await moveHours(database.longQuery)
    return
  }
  const from = await database.transaction('BEGIN', async (query) => {
    await query("SELECT pg_advisory_xact_lock(hashtext('pets_schema'))")
    await query(VERSION_TABLE)
    const [row] = await query('SELECT version FROM pets_schema FOR UPDATE')
    const version = int(row?.[0])
    await query(version < VERSION ? TABLES : FILL)
    await moveHours(query)
    await query('UPDATE pets_schema SET version = $1', [VERSION])
    return version
  })
  if (from === 0 || from === VERSION) return
  onUpgrade(
    `the tables were upgraded from schema ${from} to ${VERSION}; the way back is pg_restore with a dump from before`,
  )
}

/** Sums up the hours of 2.1. The table stays, because nodes of 2.1 might still save there during an update. */
const SUM_HOURS = `WITH moved AS (DELETE FROM ledger RETURNING *) ${sumHours('moved')}`

async function moveHours(query: Sql): Promise<void> {
  const [row] = await query("SELECT to_regclass('ledger') IS NOT NULL")
  if (row?.[0] === 1n) await query(SUM_HOURS)
}

/** Whether nodes of 2.1 have written to the journal since it has its columns. */
async function hasEarlierEntries({ longQuery }: Pick<MigrationDatabase, 'longQuery'>): Promise<boolean> {
  const [row] = await longQuery(`SELECT EXISTS (SELECT 1 FROM journal WHERE ${IS_UNFILLED})`)
  return row?.[0] === 1n
}

const FILL = fillJournal((json, member) => `substring(${json} FROM '"${member}":("[a-z]+"|null|-?\\d+)')`)

/** Undefined in a database without our tables. */
async function versionOf({ longQuery }: Pick<MigrationDatabase, 'longQuery'>): Promise<number | undefined> {
  const [existing] = await longQuery("SELECT to_regclass('pets_schema') IS NOT NULL, to_regclass('pets') IS NOT NULL")
  const [schema, pets] = existing ?? []
  if (schema === 0n) {
    if (pets === 1n) {
      throw new StoreUnusable(
        'The database holds a table `pets` of some other program; name another database with --database.',
      )
    }
    return undefined
  }
  const [row] = await longQuery('SELECT version FROM pets_schema')
  const version = row && int(row[0])
  if (version === undefined || version === 0 || (version >= FIRST_VERSION && version <= VERSION)) return version
  throw new StoreUnusable(
    version > VERSION
      ? `The database was written by a newer version of this software (schema ${version}, this one knows ${VERSION}); update the software.`
      : `The database was written by a version before 2.1 (schema ${version}). Update to 2.1 first, and then to this version. Nothing was changed.`,
  )
}

const VERSION_TABLE = `
  CREATE TABLE IF NOT EXISTS pets_schema (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), version int NOT NULL);
  INSERT INTO pets_schema (version) VALUES (0) ON CONFLICT DO NOTHING`

/** Tables are changed before their indexes, so that changes of animals wait instead of deadlocking. */
export const TABLES = `
  CREATE SEQUENCE IF NOT EXISTS pet_ids;
  CREATE TABLE IF NOT EXISTS pets (
    id bigint PRIMARY KEY DEFAULT nextval('pet_ids'),
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text CHECK (status IN ('available', 'pending', 'sold')), -- none when omitted on creation (O4)
    folded text
  );
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id) WHERE status IS NOT NULL;
  CREATE INDEX IF NOT EXISTS pets_without_status ON pets (id) WHERE status IS NULL;
  CREATE TABLE IF NOT EXISTS removed_pets (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text,
    removed_at_ms bigint NOT NULL,
    folded text
  );
  CREATE INDEX IF NOT EXISTS removed_pets_by_time ON removed_pets (removed_at_ms);

  CREATE TABLE IF NOT EXISTS keys (
    id text PRIMARY KEY,
    hash text NOT NULL UNIQUE, -- SHA-256, base64url; the key itself is nowhere
    lineage text NOT NULL,
    plan text NOT NULL,
    per_minute bigint NOT NULL,
    per_day bigint NOT NULL,
    label text NOT NULL,
    created_at_ms bigint NOT NULL,
    expires_at_ms bigint,
    revoked_at_ms bigint,
    last_used_at_ms bigint,
    ban text, -- JSON
    lifted_until_ms bigint,
    folded text
  );
  CREATE INDEX IF NOT EXISTS keys_by_creation ON keys (created_at_ms, id);
  CREATE INDEX IF NOT EXISTS keys_by_last_use ON keys (last_used_at_ms DESC NULLS LAST, id DESC);
  CREATE INDEX IF NOT EXISTS keys_by_lineage ON keys (lineage, created_at_ms, id);

  -- Half of each page is left free, so that a row's next version fits beside it and no index is touched.
  CREATE TABLE IF NOT EXISTS counters (
    subject text PRIMARY KEY,
    minute bigint NOT NULL DEFAULT 0,
    minute_count bigint NOT NULL DEFAULT 0,
    day bigint NOT NULL DEFAULT 0,
    day_count bigint NOT NULL DEFAULT 0,
    refused_at_ms bigint[] NOT NULL DEFAULT '{}',
    banned_until_ms bigint NOT NULL DEFAULT 0,
    ban_limit bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);

  CREATE TABLE IF NOT EXISTS ledger_days (
    day bigint NOT NULL, -- since 1970
    lineage text COLLATE "C" NOT NULL, -- in one order on every server
    operation text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (day, lineage, operation, outcome)
  ) WITH (fillfactor = 70);

  CREATE TABLE IF NOT EXISTS journal (
    n bigserial PRIMARY KEY,
    at_ms bigint NOT NULL,
    who text NOT NULL,
    act text NOT NULL,
    pet_id bigint,
    key_id text,
    from_values text, -- JSON objects
    to_values text,
    undoes bigint,
    part_of bigint
  );
  CREATE INDEX IF NOT EXISTS journal_by_act ON journal (part_of, n) WHERE part_of IS NOT NULL;
  CREATE INDEX IF NOT EXISTS journal_by_pet ON journal (pet_id, n) WHERE pet_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS journal_by_key ON journal (key_id, n) WHERE key_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS journal_by_who ON journal (who, n);
  CREATE INDEX IF NOT EXISTS journal_of_no_subject ON journal (act, n) WHERE pet_id IS NULL AND key_id IS NULL;
  ALTER TABLE journal ADD COLUMN IF NOT EXISTS import_n bigint, ADD COLUMN IF NOT EXISTS status_was text,
    ADD COLUMN IF NOT EXISTS status_now text, ADD COLUMN IF NOT EXISTS category_was bigint,
    ADD COLUMN IF NOT EXISTS category_now bigint, ADD COLUMN IF NOT EXISTS undone_by bigint;
  CREATE INDEX IF NOT EXISTS journal_by_import ON journal (import_n, n) WHERE import_n IS NOT NULL;
  CREATE INDEX IF NOT EXISTS journal_unfilled ON journal (n) WHERE ${IS_UNFILLED};
  ${FILL}

  CREATE TABLE IF NOT EXISTS imports (
    n bigserial PRIMARY KEY,
    at_ms bigint NOT NULL,
    who text NOT NULL,
    source text NOT NULL,
    animals bigint NOT NULL,
    undone_at_ms bigint
  );
  CREATE TABLE IF NOT EXISTS import_ranges (
    import_n bigint NOT NULL,
    first_id bigint NOT NULL,
    last_id bigint NOT NULL,
    PRIMARY KEY (import_n, first_id)
  );
  CREATE TABLE IF NOT EXISTS created_ranges (
    first_id bigint PRIMARY KEY,
    last_id bigint NOT NULL,
    minute bigint NOT NULL, -- Unix time in minutes
    key_id text NOT NULL
  );
  CREATE INDEX IF NOT EXISTS created_ranges_by_key ON created_ranges (key_id, minute);
  CREATE TABLE IF NOT EXISTS pet_references (pet_id bigint PRIMARY KEY, reference text NOT NULL, folded text NOT NULL);
  -- Two lists can have the same references. 'former' is the status before a missing animal was set to sold.
  ALTER TABLE pet_references ADD COLUMN IF NOT EXISTS list text NOT NULL DEFAULT '';
  ALTER TABLE pet_references ADD COLUMN IF NOT EXISTS former text;
  ALTER TABLE pet_references DROP CONSTRAINT IF EXISTS pet_references_reference_key;
  DROP INDEX IF EXISTS references_by_folded;
  CREATE UNIQUE INDEX IF NOT EXISTS references_by_list ON pet_references (folded, list);
  CREATE TABLE IF NOT EXISTS layouts (
    n bigserial PRIMARY KEY,
    mapping text NOT NULL,
    list text NOT NULL,
    who text NOT NULL,
    at_ms bigint NOT NULL
  );
  -- The tokens of the office's forms (FORMS_KEPT).
  CREATE TABLE IF NOT EXISTS additions (once text PRIMARY KEY, pet_id bigint NOT NULL, at_ms bigint NOT NULL);
  CREATE INDEX IF NOT EXISTS additions_by_time ON additions (at_ms);

  CREATE TABLE IF NOT EXISTS categories (id bigint PRIMARY KEY, label text NOT NULL);
  -- Those of 2.1, which merged categories.
  DROP TABLE IF EXISTS merges, merged_pets;
  CREATE TABLE IF NOT EXISTS status_words (status text COLLATE "C" PRIMARY KEY, word text NOT NULL);
  CREATE TABLE IF NOT EXISTS shelter (member text COLLATE "C" PRIMARY KEY, value text NOT NULL);
  DELETE FROM shelter WHERE member LIKE 'skipped %'; -- first steps in 2.1
  -- Which register this is: server and database that it began in, of which feeds of 2.0.0 have their ids.
  DO $$
    DECLARE began text := gen_random_uuid();
    BEGIN
      BEGIN
        SELECT system_identifier || ' ' || oid INTO began FROM pg_control_system(), pg_database
        WHERE datname = current_database();
      EXCEPTION WHEN OTHERS THEN NULL; -- a server that does not say it
      END;
      INSERT INTO shelter (member, value) VALUES ('register', began) ON CONFLICT DO NOTHING;
    END
  $$;

  CREATE TABLE IF NOT EXISTS people (
    n bigserial PRIMARY KEY,
    name text NOT NULL,
    folded text NOT NULL UNIQUE,
    role text NOT NULL,
    passphrase text,
    created_at_ms bigint NOT NULL,
    last_seen_at_ms bigint,
    revoked_at_ms bigint,
    invitation_hash text UNIQUE,
    invitation_ends_at_ms bigint
  );
  CREATE TABLE IF NOT EXISTS sessions (
    hash text PRIMARY KEY,
    person_n bigint NOT NULL,
    created_at_ms bigint NOT NULL,
    seen_at_ms bigint NOT NULL
  );
  CREATE INDEX IF NOT EXISTS sessions_by_person ON sessions (person_n);
  CREATE TABLE IF NOT EXISTS former_names (name text COLLATE "C" PRIMARY KEY, folded text NOT NULL, person_n bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS arrivals (pet_id bigint PRIMARY KEY, day bigint NOT NULL);
  DO $$
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'arrivals'::regclass AND attname = 'returned_ms') THEN
        ALTER TABLE arrivals ALTER COLUMN day DROP NOT NULL,
          ADD COLUMN at_ms bigint, ADD COLUMN returned_ms bigint, ADD COLUMN left_ms bigint;${FILL_ARRIVALS}
      END IF;
    END
  $$;
  CREATE TABLE IF NOT EXISTS nodes (
    id text PRIMARY KEY,
    base_url text NOT NULL,
    version text NOT NULL,
    seen_at_ms bigint NOT NULL -- by the clock of the database
  )`
