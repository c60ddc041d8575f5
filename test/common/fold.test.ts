/** The one form in which texts of people are compared. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fold, foldWord } from '../../src/common/fold.ts'
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
})
