/** The plural of an English word that names animals, and back. */

/** Plurals that no ending makes. */
const ODD: ReadonlyMap<string, string> = new Map([
  ['calf', 'calves'],
  ['goose', 'geese'],
  ['mouse', 'mice'],
  ['ox', 'oxen'],
  ['wolf', 'wolves'],
])

/** Of a word as `foldWord` writes it. */
export function pluralOf(name: string): string {
  const odd = ODD.get(name)
  if (odd !== undefined) return odd
  if (/(s|x|z|ch|sh)$/.test(name)) return `${name}es`
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}

/** The words that this one may be the plural of. */
export function singularsOf(word: string): readonly string[] {
  const odd = [...ODD].filter(([, plural]) => plural === word).map(([one]) => one)
  const ends: readonly (readonly [string, string])[] = [
    ['ies', 'y'],
    ['es', ''],
    ['s', ''],
  ]
  return [...odd, ...ends.flatMap(([end, one]) => (word.endsWith(end) ? [word.slice(0, -end.length) + one] : []))]
}
