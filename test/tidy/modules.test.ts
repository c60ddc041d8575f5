/** No export and no module without a user, and no import that points up. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exportsOf, imports, modules, named } from './modules.ts'
import { read } from './tree.ts'

/** What others than this tree import, and what is generated from the OpenAPI document. */
const PUBLIC = ['src/service/index.ts', 'client/src/index.ts', 'conformance/src/index.ts', 'client/src/types.ts']
/** Started in another folder, by name: test/conformance/others.test.ts, bench/targets.ts. */
const STARTED = ['express-openapi-validator.js', 'elysia.js'].map((name) => `test/other-implementations/${name}`)

describe('the modules of the tree', () => {
  it('export only what another module imports', () => {
    const taken = new Set(imports().flatMap(({ to, names }) => names.map((name) => `${to}: ${name}`)))
    const unused = modules
      .filter((file) => !PUBLIC.includes(file) && !file.endsWith('.test.ts') && !taken.has(`${file}: *`))
      .flatMap((file) => exportsOf(file).map((name) => `${file}: ${name}`))
      .filter((one) => !taken.has(one))
    assert.deepEqual(unused, [], 'drop `export` where only the file itself uses it, and delete what nothing uses')
  })

  it('are all imported, started or named by something', () => {
    const known = named()
    const dead = modules.filter((file) => !known.has(file) && !file.endsWith('.test.ts') && !STARTED.includes(file))
    assert.deepEqual(
      dead,
      [],
      'delete what nothing uses; what is started by a name that is put together goes into STARTED',
    )
  })

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
