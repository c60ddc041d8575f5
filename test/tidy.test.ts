/**
 * The tree is tidy: no stray file in the root, no file or folder that is too large, and each source file says
 * what it is for. test/tidy/ looks at modules and documents.
 */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, it } from 'node:test'
import { files, ROOT, read } from './tidy/tree.ts'

const IN_ROOT =
  '.ci .github bench client conformance deploy docs examples scripts src test .editorconfig .gitignore .npmrc biome.json CHANGELOG.md CONTRIBUTING.md knip.json LICENSE openapi.json package-lock.json package.json pets pets.cmd README.md SECURITY.md tsconfig.json tsconfig.pages.json'
/** Generated, or written by others: these may be long. */
const LONG = /package-lock\.json$|^openapi\.json$|LICENSE$|grafana\.json$|\.png$/
/** In lines; `npm run check` keeps functions to 70. */
const MOST_LINES = 500
/** Files in a folder. */
const MOST_FILES = 40

const sources = files.filter((file) => /\.(ts|js|mjs|css|c)$/.test(file))

describe('the tree', () => {
  it('has no stray file in its root', () => {
    const names = new Set(files.map((file) => file.split('/')[0] ?? ''))
    assert.deepEqual(
      [...names].filter((name) => !IN_ROOT.split(' ').includes(name)),
      [],
      'move it into a folder, or add it to IN_ROOT',
    )
  })

  it(`has no file of over 200 kB or ${MOST_LINES} lines`, () => {
    assert.deepEqual(
      files.filter((file) => statSync(`${ROOT}/${file}`).size > 200_000),
      [],
      'make it smaller, or make it when it is needed',
    )
    assert.deepEqual(
      files.filter((file) => !LONG.test(file) && read(file).split('\n').length > MOST_LINES + 1),
      [],
      'divide it by subject',
    )
  })

  it(`has at most ${MOST_FILES} files in a folder`, () => {
    const byFolder = Map.groupBy(files, posix.dirname)
    byFolder.delete('.') // what is in the root is named above
    assert.deepEqual(
      [...byFolder].filter(([, its]) => its.length > MOST_FILES).map(([folder, its]) => `${folder}: ${its.length}`),
      [],
      'find the subjects among them, and give each its folder',
    )
  })

  it('has at the head of each source file a comment that says what it is for', () => {
    assert.deepEqual(
      sources.filter((file) => !file.startsWith('client/examples/') && !/^(#!.*\n)?\/\*/.test(read(file))),
      [],
      'begin it with `/** … */`',
    )
  })
})
