/**
 * Every statement of the interface (R) and every open point (O) is in the conformance kit and named by the title of at
 * least one test, so that none of them can lose its last test unnoticed.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { STATEMENTS } from '../conformance/src/index.ts'

const ROOT = `${import.meta.dirname}/..`
/** The rows of the tables in docs/interface.md. */
const NUMBERS = [...readFileSync(`${ROOT}/docs/interface.md`, 'utf8').matchAll(/^\| ([RO]\d+) \|/gm)].map(
  ([, number = '']) => number,
)

/** The titles that a test file gives to `it` and `describe`. */
function titlesOf(source: string): string[] {
  const calls = source.matchAll(/\b(?:it|describe)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)
  return [...calls].map(([, , title = '']) => title)
}

/** The numbers that a title names: `(R7, O5)`, and a range such as `R14-R17` as all that are in it. */
function numbersIn(title: string): string[] {
  return [...title.matchAll(/\b([RO])(\d+)(?:-\1(\d+))?\b/g)].flatMap(([, letter, from, to]) => {
    const [first, last] = [Number(from), Number(to ?? from)]
    return Array.from({ length: last - first + 1 }, (_, index) => `${letter}${first + index}`)
  })
}

describe('the register of the interface', () => {
  it('has the numbers of the conformance kit', () => {
    const hint = 'give docs/interface.md and conformance/src/interface.ts the same numbers'
    assert.deepEqual(NUMBERS, STATEMENTS, hint)
  })

  it('has a test for each of its numbers', () => {
    const files = globSync(['test/**/*.test.ts', 'client/test/**/*.test.ts'], { cwd: ROOT })
    const others = files.filter((file) => !file.endsWith('register.test.ts'))
    const titles = others.flatMap((file) => titlesOf(readFileSync(`${ROOT}/${file}`, 'utf8')))
    const named = new Set(titles.flatMap(numbersIn))
    assert.deepEqual(
      NUMBERS.filter((number) => !named.has(number)),
      [],
      'name each of these in the title of a test that holds it',
    )
    assert.deepEqual(
      [...named].filter((number) => !NUMBERS.includes(number)),
      [],
      'there are no such numbers',
    )
  })

  it('is read from titles as people write them', () => {
    const source = `it('one (R1, O25)', f); describe("two R3-R5 it's", g)\n  it(\n    \`three \${x} (O2)\`,`
    assert.deepEqual(titlesOf(source).flatMap(numbersIn), ['R1', 'O25', 'R3', 'R4', 'R5', 'O2'])
  })
})
