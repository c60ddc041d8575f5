/** An import as most tests need it. */
import type { ImportOptions } from '../../src/store/imports.ts'

export const PLAIN_IMPORT: ImportOptions = {
  by: { who: 'test', atMs: Date.UTC(2026, 10, 21, 12) },
  source: 'test.csv',
  withIds: false,
  allowDuplicates: true,
  dryRun: false,
}
