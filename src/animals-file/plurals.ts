/** The plural of an English word that names animals. */

/** Plurals that no ending makes. */
const ODD: ReadonlyMap<string, string> = new Map([
  ['calf', 'calves'],
  ['goose', 'geese'],
  ['mouse', 'mice'],
  ['ox', 'oxen'],
  ['wolf', 'wolves'],
])

/** Of a word as `folded` writes it. */
export function pluralOf(name: string): string {
  const odd = ODD.get(name)
  if (odd !== undefined) return odd
  if (/(s|x|z|ch|sh)$/.test(name)) return `${name}es`
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}
