/** What `pets copy` carries table by table. Both engines have these tables with these columns. */

export interface ArchivedTable {
  readonly name:
    | 'removed_pets'
    | 'journal'
    | 'imports'
    | 'import_ranges'
    | 'pet_references'
    | 'created_ranges'
    | 'categories'
    | 'merges'
    | 'merged_pets'
    | 'status_words'
    | 'people'
    | 'ledger'
    | 'kept_maps'
  /** The first ones are the primary key, in whose order rows are read. All but text are integers. */
  readonly columns: Readonly<Record<string, 'bigint' | 'text'>>
  readonly keyColumns: 1 | 2 | 4
  /** Rows change, so one whose key is there is replaced by another copy; without it the one that is there stays. */
  readonly isReplaced?: true
}

/** A row's values as text, in the order of the columns. */
export type Cells = readonly (string | null)[]

export const ARCHIVED_TABLES: readonly ArchivedTable[] = [
  {
    name: 'removed_pets',
    columns: { id: 'bigint', name: 'text', category_id: 'bigint', status: 'text', removed_at_ms: 'bigint' },
    keyColumns: 1,
  },
  {
    name: 'journal',
    columns: {
      n: 'bigint',
      at_ms: 'bigint',
      who: 'text',
      act: 'text',
      pet_id: 'bigint',
      key_id: 'text',
      from_values: 'text',
      to_values: 'text',
    },
    keyColumns: 1,
  },
  {
    name: 'imports',
    columns: { n: 'bigint', at_ms: 'bigint', who: 'text', source: 'text', animals: 'bigint', undone_at_ms: 'bigint' },
    keyColumns: 1,
  },
  {
    name: 'import_ranges',
    columns: { import_n: 'bigint', first_id: 'bigint', last_id: 'bigint' },
    keyColumns: 2,
  },
  {
    name: 'pet_references',
    columns: { pet_id: 'bigint', reference: 'text' },
    keyColumns: 1,
  },
  {
    name: 'created_ranges',
    columns: { first_id: 'bigint', last_id: 'bigint', minute: 'bigint', key_id: 'text' },
    keyColumns: 1,
  },
  {
    name: 'categories',
    columns: { id: 'bigint', label: 'text' },
    keyColumns: 1,
  },
  {
    name: 'kept_maps',
    columns: { name: 'text', rules: 'text' },
    keyColumns: 1,
    isReplaced: true,
  },
  {
    name: 'merges',
    columns: {
      n: 'bigint',
      at_ms: 'bigint',
      who: 'text',
      from_id: 'bigint',
      label: 'text',
      into_id: 'bigint',
      animals: 'bigint',
      entry_n: 'bigint',
      undone_at_ms: 'bigint',
    },
    keyColumns: 1,
    isReplaced: true,
  },
  {
    name: 'merged_pets',
    columns: { pet_id: 'bigint', merge_n: 'bigint' },
    keyColumns: 1,
    isReplaced: true,
  },
  {
    name: 'status_words',
    columns: { status: 'text', word: 'text' },
    keyColumns: 1,
    isReplaced: true,
  },
  // Sessions are not copied: people sign in again.
  {
    name: 'people',
    columns: {
      n: 'bigint',
      name: 'text',
      folded: 'text',
      role: 'text',
      passphrase: 'text',
      created_at_ms: 'bigint',
      last_seen_at_ms: 'bigint',
      revoked_at_ms: 'bigint',
      invitation_hash: 'text',
      invitation_ends_at_ms: 'bigint',
    },
    keyColumns: 1,
  },
  {
    name: 'ledger',
    columns: {
      span: 'bigint',
      hour: 'bigint',
      lineage: 'text',
      operation: 'text',
      admitted: 'bigint',
      refused_by_minute: 'bigint',
      refused_by_day: 'bigint',
      refused_by_ban: 'bigint',
      answered_4xx: 'bigint',
      answered_5xx: 'bigint',
    },
    keyColumns: 4,
    isReplaced: true,
  },
]
