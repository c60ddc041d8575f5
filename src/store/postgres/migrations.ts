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
  // Keys are read by pages: by creation, by last use, and the newest of a lineage.
  `
  CREATE INDEX IF NOT EXISTS keys_by_creation ON keys (created_at_ms, id);
  CREATE INDEX IF NOT EXISTS keys_by_last_use ON keys (last_used_at_ms DESC NULLS LAST, id DESC);
  CREATE INDEX IF NOT EXISTS keys_by_lineage ON keys (lineage, created_at_ms, id);
  `,
]
