-- The tables of 2.1, as it made them.
CREATE TABLE IF NOT EXISTS pets_schema (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), version int NOT NULL);
INSERT INTO pets_schema (version) VALUES (0) ON CONFLICT DO NOTHING;
UPDATE pets_schema SET version = 20;
CREATE SEQUENCE IF NOT EXISTS pet_ids;
CREATE TABLE IF NOT EXISTS pets (
  id bigint PRIMARY KEY DEFAULT nextval('pet_ids'),
  name text NOT NULL,
  category_id bigint NOT NULL,
  status text CHECK (status IN ('available', 'pending', 'sold')) -- none when omitted on creation (O4)
);
-- The form in which a text is compared, where it is not that text in lower case (../../sql.ts).
ALTER TABLE pets ADD COLUMN IF NOT EXISTS folded text;
CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id) WHERE status IS NOT NULL;
CREATE INDEX IF NOT EXISTS pets_without_status ON pets (id) WHERE status IS NULL;
CREATE TABLE IF NOT EXISTS removed_pets (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  category_id bigint NOT NULL,
  status text,
  removed_at_ms bigint NOT NULL
);
ALTER TABLE removed_pets ADD COLUMN IF NOT EXISTS folded text;
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
  last_used_at_ms bigint
);
-- The last ban as the nodes noted it, JSON (Ban of ../../rows.ts), and the end of the one that was lifted last.
ALTER TABLE keys ADD COLUMN IF NOT EXISTS ban text, ADD COLUMN IF NOT EXISTS lifted_until_ms bigint,
  ADD COLUMN IF NOT EXISTS folded text;
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

-- What keys were used for (../../ledger.ts). A row is of one hour or, with a span of 24, of the day that it begins.
CREATE TABLE IF NOT EXISTS ledger (
  span bigint NOT NULL,
  hour bigint NOT NULL, -- since 1970
  lineage text COLLATE "C" NOT NULL, -- in one order on every server
  operation text COLLATE "C" NOT NULL,
  admitted bigint NOT NULL,
  refused_by_minute bigint NOT NULL,
  refused_by_day bigint NOT NULL,
  refused_by_ban bigint NOT NULL,
  answered_4xx bigint NOT NULL,
  answered_5xx bigint NOT NULL,
  PRIMARY KEY (span, hour, lineage, operation)
) WITH (fillfactor = 70);
-- The last save of each process, so that one whose outcome is unknown can be sent again.
CREATE TABLE IF NOT EXISTS ledger_saves (process text PRIMARY KEY, n bigint NOT NULL, at_ms bigint NOT NULL);

CREATE TABLE IF NOT EXISTS journal (
  n bigserial PRIMARY KEY,
  at_ms bigint NOT NULL,
  who text NOT NULL,
  act text NOT NULL,
  pet_id bigint,
  key_id text,
  from_values text, -- JSON objects
  to_values text
);
ALTER TABLE journal ADD COLUMN IF NOT EXISTS undoes bigint; -- the number of the entry that this one takes back
-- The entry of the act on several animals that an entry is a part of (../../author.ts).
ALTER TABLE journal ADD COLUMN IF NOT EXISTS part_of bigint;
CREATE INDEX IF NOT EXISTS journal_by_act ON journal (part_of, n) WHERE part_of IS NOT NULL;
CREATE INDEX IF NOT EXISTS journal_by_pet ON journal (pet_id, n) WHERE pet_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS journal_by_key ON journal (key_id, n) WHERE key_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS journal_by_who ON journal (who, n);
CREATE INDEX IF NOT EXISTS journal_of_no_subject ON journal (act, n) WHERE pet_id IS NULL AND key_id IS NULL;

CREATE TABLE IF NOT EXISTS imports (
  n bigserial PRIMARY KEY,
  at_ms bigint NOT NULL,
  who text NOT NULL,
  source text NOT NULL,
  animals bigint NOT NULL,
  undone_at_ms bigint
);
-- The ids that an import gave or brought, without gaps.
CREATE TABLE IF NOT EXISTS import_ranges (
  import_n bigint NOT NULL,
  first_id bigint NOT NULL,
  last_id bigint NOT NULL,
  PRIMARY KEY (import_n, first_id)
);
-- Which key has created an animal over the interface, and when (../../origins.ts).
CREATE TABLE IF NOT EXISTS created_ranges (
  first_id bigint PRIMARY KEY,
  last_id bigint NOT NULL,
  minute bigint NOT NULL, -- Unix time in minutes
  key_id text NOT NULL
);
CREATE INDEX IF NOT EXISTS created_ranges_by_key ON created_ranges (key_id, minute);
-- Other systems' numbers of the animals, removed ones too, by which a sync knows them (../../sync.ts).
CREATE TABLE IF NOT EXISTS pet_references (pet_id bigint PRIMARY KEY, reference text NOT NULL UNIQUE);
ALTER TABLE pet_references ADD COLUMN IF NOT EXISTS folded text NOT NULL DEFAULT ''; -- always
-- The tokens of the office's forms (FORMS_KEPT).
CREATE TABLE IF NOT EXISTS additions (once text PRIMARY KEY, pet_id bigint NOT NULL, at_ms bigint NOT NULL);
CREATE INDEX IF NOT EXISTS additions_by_time ON additions (at_ms);

-- Names of categories, and their merges with the last one of each animal (../../categories.ts).
CREATE TABLE IF NOT EXISTS categories (id bigint PRIMARY KEY, label text NOT NULL);
CREATE TABLE IF NOT EXISTS merges (
  n bigserial PRIMARY KEY,
  at_ms bigint NOT NULL,
  who text NOT NULL,
  from_id bigint NOT NULL,
  label text,
  into_id bigint NOT NULL,
  animals bigint NOT NULL,
  entry_n bigint NOT NULL, -- in the journal
  undone_at_ms bigint
);
CREATE TABLE IF NOT EXISTS merged_pets (pet_id bigint PRIMARY KEY, merge_n bigint NOT NULL);
-- The shelter's words for statuses, and what it is called (../../words.ts).
CREATE TABLE IF NOT EXISTS status_words (status text COLLATE "C" PRIMARY KEY, word text NOT NULL);
CREATE TABLE IF NOT EXISTS shelter (member text COLLATE "C" PRIMARY KEY, value text NOT NULL);
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

-- Who may use the office (../../people.ts).
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
-- The names that people had, which the journal has: nobody else gets them.
CREATE TABLE IF NOT EXISTS former_names (name text COLLATE "C" PRIMARY KEY, folded text NOT NULL, person_n bigint NOT NULL);
-- The days since 1970 on which animals came, as lists have them.
CREATE TABLE IF NOT EXISTS arrivals (pet_id bigint PRIMARY KEY, day bigint NOT NULL);
-- The nodes that serve.
CREATE TABLE IF NOT EXISTS nodes (
  id text PRIMARY KEY,
  base_url text NOT NULL,
  version text NOT NULL,
  seen_at_ms bigint NOT NULL -- by the clock of the database
);

-- Of earlier versions.
DROP INDEX IF EXISTS pets_by_name;
DROP TABLE IF EXISTS samples, purge_marks, purge_days, kept_maps;
CREATE UNIQUE INDEX references_by_folded ON pet_references (folded);
