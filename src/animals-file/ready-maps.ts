/**
 * Mappings for files of other systems whose columns are documented in public, and whose words need more than the tables
 * of languages: what an empty value means, and which of several columns counts. One that fits a file is used unasked.
 */
import { foldWord } from '../common/fold.ts'

/** The column of the other system's ids, and the rules. */
interface ReadyMap {
  readonly reference: string
  readonly rules: readonly string[]
}

export const READY_MAPS: ReadonlyMap<string, ReadyMap> = new Map([
  // "Export animals as CSV" of sheltermanager (ASM3), of the animals on the shelter: the others are adopted, or dead.
  [
    'asm3',
    {
      reference: 'ANIMALCODE',
      rules: [
        ...['name=ANIMALNAME', 'category=ANIMALSPECIES', 'status=ANIMALNOTFORADOPTION'],
        ...['status:0=available', 'status:n=available', 'status:no=available'],
        ...['status:1=none', 'status:y=none', 'status:yes=none'],
      ],
    },
  ],
  // Reports of animals from Shelterluv. Each shelter names its statuses itself, and says which of them are adoptable.
  [
    'shelterluv',
    {
      reference: 'Animal ID',
      rules: ['name=Name', 'category=Species', 'status=Adoptable', 'status:yes=available', 'status:no=none'],
    },
  ],
  // The import file of a RescueGroups.org import account.
  ['rescuegroups', { reference: 'externalID', rules: ['name=name', 'category=type', 'status=status'] }],
  // "Animal Shelter Intakes and Outcomes" of the City of Long Beach. Who has no outcome is in the shelter.
  [
    'longbeach',
    {
      reference: 'Animal ID',
      rules: [
        ...['name=Animal Name', 'category=Animal Type', 'status=Outcome Type'],
        ...['status:=available', 'status:NA=available', 'status:NULL=available'],
        ...['status:foster to adopt=pending', 'status:rescue=gone', 'status:transport=gone'],
      ],
    },
  ],
])

/** The name of the ready one that has all its columns in this header. */
export function readyFor(header: readonly string[]): string | undefined {
  const headings = new Set(header.map(foldWord))
  for (const [name, { reference, rules }] of READY_MAPS) {
    const columns = rules.flatMap((rule) => /^\w+=(.+)$/.exec(rule)?.[1] ?? [])
    if ([reference, ...columns].every((column) => headings.has(foldWord(column)))) return name
  }
  return undefined
}
