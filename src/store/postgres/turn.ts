/**
 * Makes imports and syncs wait for each other, by the row that also locks migrations (connection/migrations.ts). The
 * wait is bounded: the server may not know that a client behind a cut line is gone.
 */
export const TURN = `
  SET LOCAL lock_timeout = '60s';
  SELECT FROM pets_schema FOR UPDATE;
  SET LOCAL lock_timeout TO DEFAULT`
