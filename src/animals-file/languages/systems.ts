/** The ready mappings: systems whose columns are publicly documented, and whose words the language tables do not cover. */

/** A ready map that fits a file is applied without being asked for. */
export const READY_MAPS: ReadonlyMap<string, readonly string[]> = new Map([
  // sheltermanager (ASM3): "Export animals as CSV". Who died, is not the shelter's or not for adoption has columns of
  // its own, which count beside the last movement: 0 none, 1 adoption, 2 foster, 3 transfer, 4 escaped, 5 reclaimed,
  // 6 stolen, 7 released, 8 retailer.
  [
    'asm3',
    [
      ...['reference=ANIMALCODE', 'name=ANIMALNAME', 'category=ANIMALSPECIES', 'status=MOVEMENTTYPE'],
      ...['status:=available', 'status:0=available', 'status:1=sold', 'status:2=pending', 'status:8=pending'],
      ...['3', '4', '5', '6', '7'].map((movement) => `status:${movement}=gone`),
    ],
  ],
  // Shelterluv: reports of animals. Each shelter defines its own statuses, and which of them are adoptable.
  [
    'shelterluv',
    [
      ...[
        'reference=Animal ID',
        'name=Name',
        'category=Species',
        'status=Adoptable',
        'status:yes=available',
        'status:no=none',
      ],
    ],
  ],
  // The import file of a RescueGroups.org import account.
  ['rescuegroups', ['reference=externalID', 'name=name', 'category=type', 'status=status']],
  // Petfinder's file for uploads: adoptable, on hold, adopted, found.
  [
    'petfinder',
    [
      ...['reference=ID', 'name=AnimalName', 'category=Type', 'status=Status'],
      ...['status:A=available', 'status:H=pending', 'status:X=sold', 'status:F=none'],
    ],
  ],
  // "Animal Shelter Intakes and Outcomes" of the City of Long Beach. An animal without an outcome is in the shelter.
  [
    'longbeach',
    [
      ...['reference=Animal ID', 'name=Animal Name', 'category=Animal Type', 'status=Outcome Type'],
      ...['status:=available', 'status:NA=available', 'status:NULL=available'],
      ...['status:foster to adopt=pending', 'status:rescue=gone', 'status:transport=gone'],
    ],
  ],
])
