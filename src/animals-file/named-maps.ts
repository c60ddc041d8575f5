/**
 * Mappings as people give them: rules, or `@` and the name of ready ones or of a file of rules, one after the other. A
 * file has a rule on each line, `#` before what is said to people, and `reference = COLUMN` if it is for a sync.
 */
import { readFile } from 'node:fs/promises'
import { codeOf, ExplainedError } from '../common/errors.ts'
import { foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import { type Mapping, NO_MAPPING, readRules } from './mapping.ts'

/**
 * For files of other systems whose columns are documented in public, and whose words need more than the tables of
 * languages: the column of the other system's ids, and the rules. One that fits a file is used unasked.
 */
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

/** There is no mapping of the name. */
class UnknownMap extends ExplainedError {
  override readonly name = 'UnknownMap'
}

/** `path` gives the path of a file by its name. Throws UnknownMap or BadMapping. */
export async function mappingOf(texts: readonly string[], path = (name: string) => name): Promise<Mapping> {
  let mapping = NO_MAPPING
  for (const text of texts) {
    mapping = readRules(text.startsWith('@') ? await rulesNamed(text.slice(1), path) : text.split(','), mapping)
  }
  return mapping
}

async function rulesNamed(name: string, path: (name: string) => string): Promise<readonly string[]> {
  const ready = READY_MAPS.get(name)
  if (ready !== undefined) return ready.rules
  const text = await readFile(path(name), 'utf8').catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT')
      throw new UnknownMap(`The mapping ${printable(name)} cannot be read (${codeOf(error)}).`)
    const names = [...READY_MAPS.keys()].map((one) => `@${one}`)
    throw new UnknownMap(
      `There is no file ${printable(name)}, and the mappings that are ready are ${names.join(', ')}.`,
    )
  })
  return text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => !/^\s*(#|$)/.test(line))
}
