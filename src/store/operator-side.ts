/** Everything that operators and people of the office do: one class per subject, the same on every engine. */
import { Archives } from './archive.ts'
import { Categories } from './categories.ts'
import { Imports } from './imports.ts'
import { Keys } from './keys.ts'
import { Layouts } from './layouts.ts'
import { Ledger } from './ledger.ts'
import { Origins } from './origins.ts'
import { People } from './people.ts'
import { Records } from './records.ts'
import { Report } from './report.ts'
import type { Database, Methods } from './sql.ts'
import { Syncs } from './sync.ts'
import { ShelterWords } from './words.ts'

type Classes = ReturnType<typeof operatorSide>

export type OperatorSide = { readonly [Name in keyof Classes]: Methods<Classes[Name]> }

export function operatorSide(db: Database, onKeyChange?: () => void) {
  return {
    archive: new Archives(db),
    categories: new Categories(db),
    imports: new Imports(db),
    keys: new Keys(db, onKeyChange),
    layouts: new Layouts(db),
    ledger: new Ledger(db),
    origins: new Origins(db),
    people: new People(db),
    records: new Records(db),
    reports: new Report(db),
    sync: new Syncs(db),
    words: new ShelterWords(db),
  }
}
