/** No import that points up, and none that points back; `npm run check` looks for what nothing uses. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { imports } from './modules.ts'
import { read } from './tree.ts'

describe('the modules of the tree', () => {
  it('import, in `src`, only from rows below their own in the drawing of docs/architecture.md', () => {
    const [, drawing = ''] = read('docs/architecture.md').split(/^```$/m)
    const rows = drawing.trim().split('\n')
    const folderOf = (file: string) => file.split('/')[file.startsWith('src/') ? 1 : 0] ?? ''
    const rowOf = (file: string) => rows.findIndex((row) => row.split(/[^\w-]+/).includes(folderOf(file)))
    // An arrow leads from a row to a package.
    const least = (from: string, to: string) => rowOf(from) + (to.startsWith('src/') ? 1 : 0)
    const up = imports().filter(
      ({ from, to }) =>
        from.startsWith('src/') && folderOf(from) !== folderOf(to) && (rowOf(from) < 0 || rowOf(to) < least(from, to)),
    )
    assert.deepEqual(
      up.map(({ from, to }) => `${from} -> ${to}`),
      [],
      'move what both need below both; a new folder needs its place in the drawing',
    )
  })

  it('import, between two files or folders of one folder, in one direction', () => {
    const packages = ['src', 'client/src', 'conformance/src']
    const steps = new Set(
      imports()
        .filter(({ from }) => packages.some((folder) => from.startsWith(`${folder}/`)))
        .flatMap(({ from, to }) => {
          const [before, after] = [from.split('/'), to.split('/')]
          const parts = before.findIndex((part, n) => part !== after[n])
          return parts < 0 ? [] : [[before, after].map((path) => path.slice(0, parts + 1).join('/')).join(' -> ')]
        }),
    )
    assert.deepEqual(
      [...steps].filter((step) => steps.has(step.split(' -> ').reverse().join(' -> '))),
      [],
      'move what both need below both',
    )
  })
})
