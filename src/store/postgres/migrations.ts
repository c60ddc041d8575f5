/**
 * The steps that make a PostgreSQL database ours, in order. A released step never changes; a new need is a new step.
 * Each can be run again after a half-done run, for engines whose DDL is not transactional.
 */

export const MIGRATIONS: readonly string[] = [
  `
  CREATE SEQUENCE IF NOT EXISTS pet_ids;
  CREATE TABLE IF NOT EXISTS pets (
    id bigint PRIMARY KEY DEFAULT nextval('pet_ids'),
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text CHECK (status IN ('available', 'pending', 'sold')) -- none when omitted on creation (O4)
  );
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

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
  `,
  // The operator's side of the animals (../records.ts).
  `
  CREATE TABLE IF NOT EXISTS removed_pets (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text,
    removed_at_ms bigint NOT NULL
  );
  CREATE INDEX IF NOT EXISTS removed_pets_by_time ON removed_pets (removed_at_ms);

  CREATE TABLE IF NOT EXISTS journal (
    n bigserial PRIMARY KEY,
    at_ms bigint NOT NULL,
    who text NOT NULL,
    act text NOT NULL,
    pet_id bigint,
    from_values text, -- JSON objects
    to_values text
  );
  CREATE INDEX IF NOT EXISTS journal_by_pet ON journal (pet_id, n) WHERE pet_id IS NOT NULL;

  CREATE TABLE IF NOT EXISTS categories (id bigint PRIMARY KEY, label text NOT NULL);
  `,
]
