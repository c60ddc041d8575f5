/**
 * Mappings as people give them: rules, or `@` and the name of ready ones or of a file of rules, one after the other. A
 * file has a rule on each line, `#` before what is said to people, and `reference = COLUMN` if it is for a sync.
 */
import { readFile } from 'node:fs/promises'
import { codeOf, ExplainedError } from '../common/errors.ts'
import { printable } from '../common/printable.ts'
import { type Mapping, NO_MAPPING, readRules } from './mapping.ts'
import { READY_MAPS } from './ready-maps.ts'

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
