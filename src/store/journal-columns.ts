/** Fills the columns that 2.1's journal did not have from the JSON of its entries. Running it again changes nothing. */

export const IS_UNFILLED = "pet_id IS NOT NULL AND status_now IS NULL AND act <> 'purge'"

/** An undo of 2.1 can refer to another undo. The last of the chain decides whether the first entry is undone. */
const MARK_UNDONE = `
  UPDATE journal SET undone_by = CASE last % 2 WHEN 1 THEN last / 2 END FROM (
    WITH RECURSIVE chains (n, undone, parity) AS (
      SELECT n, undoes, 1 FROM journal WHERE ${IS_UNFILLED} AND undoes IS NOT NULL
        AND n NOT IN (SELECT undoes FROM journal WHERE pet_id IS NOT NULL AND undoes IS NOT NULL)
      UNION ALL SELECT chains.n, undoes, 1 - parity FROM chains JOIN journal ON journal.n = undone WHERE undoes IS NOT NULL
    ) SELECT undone, max(2 * n + parity) AS last FROM chains GROUP BY undone
  ) AS decided WHERE journal.n = undone;
  UPDATE journal SET undoes = first FROM (
    WITH RECURSIVE chains (n, undone) AS (
      SELECT n, undoes FROM journal WHERE ${IS_UNFILLED} AND undoes IS NOT NULL
      UNION ALL SELECT chains.n, undoes FROM chains JOIN journal ON journal.n = undone WHERE undoes IS NOT NULL
    ) SELECT n AS undo_n, min(undone) AS first FROM chains GROUP BY n
  ) AS chained WHERE journal.n = undo_n AND undoes <> first;
  UPDATE journal SET undone_by = undo_n FROM (
    SELECT undoes AS undone, min(n) AS undo_n FROM journal WHERE pet_id IS NULL AND undoes IS NOT NULL GROUP BY undoes
  ) AS acts WHERE journal.n = undone AND undone_by IS NULL;`

/** `memberOf` is the SQL of a dialect for a member of JSON text; NULL without it. */
export function fillJournal(memberOf: (json: string, member: string) => string): string {
  const number = (values: string, member: string) => `CAST(${memberOf(values, member)} AS bigint)`
  const status = (values: string) => `replace(trim(${memberOf(values, 'status')}, '"'), 'null', 'none')`
  const category = (values: string) => number(values, 'categoryId')
  const statusNow = `coalesce(${status('to_values')}, CASE act WHEN 'add' THEN 'none' END)`
  // The state before an entry comes from the next entry, or from the animal itself.
  const before = (member: 'status' | 'category', from: string, current: string, to: string) => `coalesce(
    (SELECT ${from} FROM journal AS next WHERE next.n = next_${member}),
    (SELECT ${current} FROM pets WHERE id = pet_id),
    (SELECT ${current} FROM removed_pets WHERE id = pet_id),
    (SELECT ${to} FROM journal AS last WHERE last.n = last_${member}))`
  return `${MARK_UNDONE}
  UPDATE journal SET import_n = CASE act WHEN 'undo import' THEN ${number('from_values', 'import')}
    ELSE ${number('to_values', 'import')} END
  WHERE import_n IS NULL AND (act IN ('import', 'sync', 'undo import') OR ${IS_UNFILLED});
  UPDATE journal SET part_of = own.n FROM journal AS own
  WHERE own.act = 'sync' AND own.import_n = journal.import_n AND journal.pet_id IS NOT NULL AND journal.part_of IS NULL;
  UPDATE journal SET part_of = own.n FROM journal AS own JOIN journal AS done ON done.import_n = own.import_n
  WHERE own.act = 'undo import' AND done.pet_id IS NOT NULL AND journal.undoes = done.n
    AND journal.at_ms = own.at_ms AND journal.who = own.who AND journal.part_of IS NULL;
  UPDATE journal SET status_was = found.status, category_was = found.category,
    status_now = coalesce(status_to, found.status, 'unknown'), category_now = coalesce(category_to, found.category)
  FROM (
    WITH said AS (
      SELECT n, pet_id, act, ${status('from_values')} AS status_from, ${category('from_values')} AS category_from,
        ${statusNow} AS status_to, ${category('to_values')} AS category_to
      FROM journal WHERE pet_id IN (SELECT pet_id FROM journal WHERE ${IS_UNFILLED})
    ),
    placed AS (
      SELECT said.*, min(CASE WHEN status_from IS NOT NULL THEN n END) OVER rest AS next_status,
        min(CASE WHEN category_from IS NOT NULL THEN n END) OVER rest AS next_category,
        max(CASE WHEN status_to IS NOT NULL THEN n END) OVER whole AS last_status,
        max(CASE WHEN category_to IS NOT NULL THEN n END) OVER whole AS last_category
      FROM said WINDOW rest AS (PARTITION BY pet_id ORDER BY n DESC), whole AS (PARTITION BY pet_id)
    )
    SELECT n, status_to, category_to,
      CASE WHEN act <> 'add' THEN coalesce(${before('status', status('from_values'), "coalesce(status, 'none')", statusNow)}, 'unknown') END AS status,
      CASE WHEN act <> 'add' THEN ${before('category', category('from_values'), 'category_id', category('to_values'))} END AS category
    FROM placed
  ) AS found WHERE journal.n = found.n AND ${IS_UNFILLED};`
}

/** Fills `arrivals`: when people added animals, and when sold animals returned. */
export const FILL_ARRIVALS = `
  INSERT INTO arrivals (pet_id, at_ms)
  SELECT pet_id, min(at_ms) FROM journal WHERE act = 'add' AND pet_id IS NOT NULL AND import_n IS NULL GROUP BY pet_id
  ON CONFLICT (pet_id) DO NOTHING;
  INSERT INTO arrivals (pet_id, returned_ms)
  SELECT pet_id, max(at_ms) FROM journal
  WHERE act IN ('edit', 'restore') AND pet_id IS NOT NULL AND undoes IS NULL AND undone_by IS NULL
    AND status_was = 'sold' AND status_now IN ('available', 'pending')
  GROUP BY pet_id
  ON CONFLICT (pet_id) DO UPDATE SET returned_ms = excluded.returned_ms;`
