/**
 * Warns of environment variables that begin with PETS_ and are not settings: a mistyped one would be ignored silently.
 */
import { Command } from 'commander'
import { distanceOf } from '../rules/similar-names.ts'
import { environmentVariable } from './options.ts'
import { addServeOptions } from './serve/options.ts'

const PREFIX = 'PETS_'
/** The conformance kit reads them, often in the same shell. */
const OF_KIT = ['PETS_KEY', 'PETS_LIMITED_KEY']
/** What the tests of this software are told; no setting of it. */
const OF_TESTS = 'PETS_TEST_'

/** A sentence for each. */
export function unknownVariables(names: readonly string[]): readonly string[] {
  const variables = names.filter((name) => name.startsWith(PREFIX) && !name.startsWith(OF_TESTS))
  const settingNames = variables.length === 0 ? [] : settings()
  return variables
    .filter((name) => !settingNames.includes(name))
    .map((name) => {
      const nearest = closestMatch(settingNames, name, PREFIX)
      return `The variable ${name} is no setting and is ignored${nearest === undefined ? '.' : `; ${nearest} is one.`}`
    })
}

function settings(): readonly string[] {
  const { options } = addServeOptions(new Command())
  return [...new Set([...options.filter(({ negate }) => !negate).map(environmentVariable), ...OF_KIT])]
}

/** The known name with the fewest edits: at most half of its letters after `prefix`. */
export function closestMatch(candidates: readonly string[], name: string, prefix = ''): string | undefined {
  const [nearest] = candidates
    .map((other) => ({ other, changes: distanceOf(name, other), most: (other.length - prefix.length) / 2 }))
    .filter(({ changes, most }) => changes <= most)
    .toSorted((a, b) => a.changes - b.changes)
  return nearest?.other
}
