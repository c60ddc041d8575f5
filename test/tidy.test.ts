/** The tree is tidy: no stray file in the root, no file that is too large, and each source file says what it is for. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { describe, it } from 'node:test'

const IN_ROOT =
  '.ci bench client conformance deploy docs examples scripts src test .gitignore .npmrc biome.json CHANGELOG.md CONTRIBUTING.md LICENSE openapi.json package-lock.json package.json pets pets.cmd README.md SECURITY.md tsconfig.json'
/** Generated, or written by others: these may be long. */
const LONG = /package-lock\.json$|^openapi\.json$|LICENSE$|grafana\.json$|\.png$/

const git = (...args: string[]) => execFileSync('git', args, { cwd: `${import.meta.dirname}/..`, encoding: 'utf8' })
const files = git('ls-files').trimEnd().split('\n')
const read = (file: string) => readFileSync(`${import.meta.dirname}/../${file}`, 'utf8')

describe('the tree', () => {
  it('has no stray file in its root', () => {
    const names = new Set(files.map((file) => file.split('/')[0] ?? ''))
    assert.deepEqual(
      [...names].filter((name) => !IN_ROOT.split(' ').includes(name)),
      [],
    )
  })

  it('has no file of over 200 kB or 400 lines; `npm run check` keeps functions to 70', () => {
    assert.deepEqual(
      files.filter((file) => statSync(`${import.meta.dirname}/../${file}`).size > 200_000),
      [],
    )
    assert.deepEqual(
      files.filter((file) => !LONG.test(file) && read(file).split('\n').length > 401),
      [],
    )
    assert.match(
      read('biome.json'),
      /"noExcessiveLinesPerFunction": \{ "level": "error", "options": \{ "maxLines": 70 \} \}/,
    )
  })

  it('has at the head of each source file a comment that says what it is for', () => {
    const sources = files.filter((file) => /\.(ts|js|mjs|css|c)$/.test(file) && !file.startsWith('client/examples/'))
    assert.deepEqual(
      sources.filter((file) => !/^(#!.*\n)?\/\*/.test(read(file))),
      [],
    )
  })
})
