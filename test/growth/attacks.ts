/**
 * Texts that cost a pattern the most: what it repeats, again and again, behind its shortest beginning, so that many
 * starts each look at a long rest that does not match in the end.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import type { Pattern } from './code.ts'
import { repeated, type Text } from './growth.ts'

/** Tried beside the characters of the pattern. */
const POOL = [
  ...' \t\n\ra0A9_"\';:,.-=/\\<>%+@#([{|*$?!&^~',
  '\u0301',
  '\u0591',
  'é',
  '中',
  '\u00a0',
  '\u0080',
  '\u200d',
]
const MOST_OF_CLASS = 3
const MOST_PAIRED = 8
const ENDS = ['', '\u0000', '\nx']
const UNBOUNDED = 1_000

export function attacksOn({ source, flags }: Pattern): readonly Text[] {
  const kind = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  const { alternatives } = new RegExpParser().parsePattern(source, 0, source.length, kind)
  const written = [...source].filter((letter) => !'\\()[]?*+^$|{}'.includes(letter))
  const pool = [...new Set([...written, ...POOL])]
  /** Texts that match a node, its optional parts `times` each. */
  const textsOf = (node: AST.Alternative | AST.Element, times: 0 | 1): readonly string[] => {
    switch (node.type) {
      case 'Alternative':
        return [node.elements.map((element) => textsOf(element, times)[0] ?? '').join('')]
      case 'Group':
      case 'CapturingGroup':
        return node.alternatives.flatMap((alternative) => textsOf(alternative, times))
      case 'Quantifier':
        return textsOf(node.element, times).map((text) => text.repeat(Math.max(node.min, times)))
      case 'Assertion':
      case 'Backreference':
        return ['']
      default: {
        const one = new RegExp(`^(?:${node.raw})$`, flags.replace(/[gy]/g, ''))
        return pool.filter((letter) => one.test(letter)).slice(0, MOST_OF_CLASS)
      }
    }
  }
  const texts: Text[] = []
  const pump = (alternatives: readonly AST.Alternative[], before: readonly [string, string]) => {
    for (const { elements } of alternatives) {
      let [least, once] = before
      for (const element of elements) {
        const inner = element.type === 'Quantifier' ? element.element : element
        if ('alternatives' in inner) pump(inner.alternatives, [least, once])
        if (element.type === 'Quantifier' && element.max > UNBOUNDED)
          for (const text of textsOf(element.element, 1))
            for (const behind of new Set([least, once]))
              for (const end of ENDS) texts.push(repeated(text, behind, end), repeated(behind + text, '', end))
        least += textsOf(element, 0)[0] ?? ''
        once += textsOf(element, 1)[0] ?? ''
      }
    }
  }
  pump(alternatives, ['', ''])
  const marks = [...new Set(written.filter((letter) => /[^A-Za-z0-9]/.test(letter)).concat('a', '0', ' '))]
  const paired = marks.slice(0, MOST_PAIRED)
  return [...texts, ...paired.flatMap((a) => paired.map((b) => repeated(a + b)))]
}
