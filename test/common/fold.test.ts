/** The one form in which texts of people are compared. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fold, foldWord, normalized } from '../../src/common/fold.ts'
import { anyCharacter } from '../support/draws.ts'

describe('the form in which texts are compared', () => {
  it('leaves out case, accents, kinds of blanks, quotes and dashes, and what nobody sees', () => {
    const same = [
      ["O'Malley", 'o’malley', 'O‘MALLEY', 'o´malley', 'O`Malley', "  o'malley\u00a0"],
      ['Jean-Luc', 'jean–luc', 'JEAN—LUC', 'jean‑luc'],
      ['Søren', 'soren', 'SOREN'],
      ['Tom Boy', 'tom\u00a0boy', 'Tom  Boy', 'Tom\u200b\u00ad Boy'],
      ['Pokémon', 'poke\u0301mon', 'POKEMON'],
      ['Straßi', 'strassi'],
      ['„Duke”', '"duke"', '“Duke„'],
      ['ステフィ', 'ｽﾃﾌｨ'],
      ['İnci', 'inci'],
    ]
    for (const texts of same) assert.deepEqual(new Set(texts.map(fold)).size, 1, texts.map(fold).join(' | '))
    assert.notEqual(fold('Guinea-Pig'), fold('guinea pig'))
    assert.equal(foldWord('Guinea-Pig'), foldWord('guinea_pig '))
    assert.notEqual(fold('007'), fold('7'))
  })

  it('does not change when it is folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => fold(fold(text)) === fold(text)),
      { numRuns: 2_000 },
    )
  })

  it('normalises in linear time, whatever becomes a stack of marks', () => {
    for (let code = 0; code < 0x110000; code += 1) {
      const letter = String.fromCodePoint(code)
      if (!letter.isWellFormed() || !/\p{M}/u.test(letter.normalize('NFKD'))) continue
      for (const form of ['NFC', 'NFKC', 'NFKD'] as const) {
        const stacks = normalized(`a${`\u0301${letter}`.repeat(100)}`, form).matchAll(/\p{M}+/gu)
        const height = Math.max(0, ...[...stacks].map(([stack]) => [...stack].length))
        // Of 30 marks each may become three.
        assert(height <= 90, `U+${code.toString(16)} in ${form}: ${height}`)
      }
    }
  })
})
