/** The styles of the office: one file for each component. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { it } from 'node:test'

const STYLES = resolve(import.meta.dirname, '../../src/office/page/styles')

it('a class begins the rules of one file only, except what is shared and paper', () => {
  const files = globSync(`${STYLES}/*.css`).filter((file) => !/print|shared/.test(basename(file)))
  const rules = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?::(?:is|where)\()?\.([\w-]+)/gm)].map(([, name = '']) => ({
      name,
      file,
    })),
  )
  const filesOf = Map.groupBy(rules, ({ name }) => name)
  assert(filesOf.size > 60)
  for (const [name, its] of filesOf) {
    assert.deepEqual([...new Set(its.map(({ file }) => basename(file)))].slice(1), [], name)
  }
})
