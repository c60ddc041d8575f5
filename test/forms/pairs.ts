/** Forms of a request, usual except for two features. Each pair of values has a form, so that no error hides another. */
import { FEATURES, type Form, PATHS, SOME_ID, TOGETHER } from './features.ts'

const NAMES = Object.keys(FEATURES) as (keyof Form)[]
const USUAL = { ...(Object.fromEntries(NAMES.map((name) => [name, FEATURES[name][0]])) as Form) }
const MOST_ODD = 4

/** Each value by itself, in a list, a creation and a look at one animal: what every draw has. */
export function eachValue(random: () => number): Form[] {
  const forms: Form[] = TOGETHER.map((form) => ({ ...USUAL, ...form }))
  for (const name of NAMES) {
    for (const value of new Set<string>(FEATURES[name]))
      forms.push(...[0, 1, 2].map((n) => ({ ...usual(n), [name]: value })))
  }
  return shuffled(forms, random)
}

export function eachPath(): Form[] {
  return [...PATHS].map((target) => ({ ...USUAL, target }))
}

/** All pairs, in an order of their own; every second form is a creation, in which a body counts. */
export function allPairs(random: () => number): Form[] {
  const forms: Form[] = []
  for (const [index, a] of NAMES.entries()) {
    for (const b of NAMES.slice(index + 1)) {
      for (const x of new Set<string>(FEATURES[a])) {
        for (const y of new Set<string>(FEATURES[b])) forms.push({ ...usual(forms.length % 2), [a]: x, [b]: y })
      }
    }
  }
  return shuffled(forms, random)
}

export function anyForm(random: () => number): Form {
  const odd = shuffled(NAMES, random).slice(0, Math.floor(random() * (MOST_ODD + 1)))
  const values = odd.map((name) => [name, FEATURES[name][Math.floor(random() * FEATURES[name].length)]])
  return { ...usual(Math.floor(random() * 2)), ...Object.fromEntries(values) }
}

function usual(which: number): Form {
  if (which === 2) return { ...USUAL, target: `/v1/pets/${SOME_ID}` }
  return which === 0 ? USUAL : { ...USUAL, method: 'POST', framing: 'exact' }
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}
