/** The built-in mappings: of our own files, and of systems with publicly documented columns. */
import { foldWord } from '../common/fold.ts'
import { headingsOf, readMapping } from './mapping.ts'

const mappingOf = (lines: string) => readMapping(lines.replaceAll('; ', '\n'))

export const OWN = mappingOf(`name = name; category = categoryId; arrived = cameOn; dates = year first; status = status
  status: available = available; status: pending = pending; status: sold = sold; status: = none`)

/** `signs` are further columns of the system, if the named ones are common. */
const SYSTEMS: readonly { readonly name: string; readonly signs?: readonly string[]; readonly lines: string }[] = [
  // sheltermanager (ASM3), "Export animals as CSV". Movements: 0 none, 1 adoption, 2 foster, 3 transfer, 4 escaped, 5
  // reclaimed, 6 stolen, 7 released, 8 retailer. Rows below an animal, such as vaccinations, have no entry date.
  {
    name: 'ASM3',
    lines: `name = ANIMALNAME; category = ANIMALSPECIES; reference = ANIMALCODE
      arrived = ANIMALENTRYDATE; latest = ANIMALENTRYDATE
      status = MOVEMENTTYPE; status: = available; status: 0 = available; status: 1 = sold; status: 2 = pending
      status: 3 = gone; status: 4 = gone; status: 5 = gone; status: 6 = gone; status: 7 = gone; status: 8 = pending
      gone = ANIMALDECEASEDDATE, ANIMALNONSHELTER; none = ANIMALNOTFORADOPTION`,
  },
  {
    name: 'Shelterluv',
    lines: `name = Name; category = Species; reference = Animal ID
      status = Adoptable; status: yes = available; status: no = none`,
  },
  {
    name: 'RescueGroups',
    signs: ['priBreed'],
    lines: `name = name; category = type; reference = externalID
      status = status; status: Available = available; status: Adopted = sold; status: Adoption Pending = pending
      status: Hold = pending; status: Not Available = none; status: Transferred = gone; status: Passed Away = gone`,
  },
  // The file for uploads: adoptable, on hold, adopted, found.
  {
    name: 'Petfinder',
    lines: `name = AnimalName; category = Type; reference = ID; arrived = arrival_date
      status = Status; status: A = available; status: H = pending; status: X = sold; status: F = none`,
  },
]

export function readyFor(columns: ReadonlySet<string>) {
  return SYSTEMS.map(({ name, signs = [], lines }) => {
    return { name, signs: signs.map(foldWord), mapping: mappingOf(lines) }
  }).find(({ signs, mapping }) => columns.isSupersetOf(new Set([...signs, ...headingsOf(mapping).keys()])))
}
