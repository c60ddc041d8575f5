/**
 * Mappings as people give them: rules, or `@` and the name of rules that are kept or ready, one after the other. Kept
 * ones count before ready ones of the same name.
 */
import { ExplainedError } from '../common/errors.ts'
import { printable } from '../common/printable.ts'
import type { KeptMaps } from '../store/maps.ts'
import { type Mapping, NO_MAPPING, readRules } from './mapping.ts'
import { READY_MAPS } from './ready-maps.ts'

/** There is no mapping of the name. */
export class UnknownMap extends ExplainedError {
  override readonly name = 'UnknownMap'
}

/** Throws UnknownMap or BadMapping. */
export async function mappingOf(texts: readonly string[], maps: KeptMaps): Promise<Mapping> {
  let mapping = NO_MAPPING
  for (const text of texts) {
    mapping = readRules(text.startsWith('@') ? await rulesNamed(text.slice(1), maps) : text.split(','), mapping)
  }
  return mapping
}

async function rulesNamed(name: string, maps: KeptMaps): Promise<readonly string[]> {
  const kept = await maps.all()
  const rules = kept.get(name) ?? READY_MAPS.get(name)?.rules
  if (rules !== undefined) return rules
  const names = [...new Set([...READY_MAPS.keys(), ...kept.keys()])].map((one) => `@${one}`)
  throw new UnknownMap(`There is no mapping @${printable(name)}; there are ${names.join(', ')}.`)
}
