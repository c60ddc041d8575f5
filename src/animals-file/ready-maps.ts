/**
 * Mappings for files of other systems whose columns are documented in public. Rules that an argument could hold, but
 * for values with commas in them.
 */

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
        ...['name=ANIMALNAME', 'categoryId=ANIMALSPECIES', 'status=ANIMALNOTFORADOPTION'],
        ...['status:0=available', 'status:n=available', 'status:1=', 'status:y='],
      ],
    },
  ],
  // Reports of animals from Shelterluv. Each shelter names its statuses itself, and says which of them are adoptable.
  [
    'shelterluv',
    {
      reference: 'Animal ID',
      rules: ['name=Name', 'categoryId=Species', 'status=Adoptable', 'status:yes=available', 'status:no='],
    },
  ],
  // The import file of a RescueGroups.org import account.
  [
    'rescuegroups',
    {
      reference: 'externalID',
      rules: [
        ...['name=name', 'categoryId=type', 'status=status'],
        ...['status:available=available', 'status:adopted=sold', 'status:hold=pending', 'status:pending=pending'],
      ],
    },
  ],
  // "Animal Shelter Intakes and Outcomes" of the City of Long Beach. Who has no outcome is in the shelter.
  [
    'longbeach',
    {
      reference: 'Animal ID',
      rules: [
        ...['name=Animal Name', 'categoryId=Animal Type', 'status=Outcome Type'],
        ...['status:=available', 'status:NA=available', 'status:NULL=available'],
        ...['status:adoption=sold', 'status:foster=pending', 'status:foster to adopt=pending'],
        ...[
          ...['community cat', 'died', 'disposal', 'duplicate', 'euthanasia', 'homefirst', 'missing', 'rescue'],
          ...['return to owner', 'return to rescue', 'return to wild habitat', 'shelter, neuter, return'],
          ...['transfer', 'transport', 'trap, neuter, release'],
        ].map((outcome) => `status:${outcome}=`),
      ],
    },
  ],
])
