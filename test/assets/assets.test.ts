/**
 * A page as it is built: one script and one style sheet by their content, and what is refused. And the files of the
 * office on its port; pages.test.ts has those of the public port.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { describe, it } from 'node:test'
import { buildPage } from '../../src/assets/build.ts'
import { PROGRAM_ROOT } from '../../src/common/program.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { skipUnless } from '../support/programs.ts'

const PAGE = {
  'index.html': '<link href="./main.css" rel="stylesheet"><script src="./main.ts"></script><a href="../docs">docs</a>',
  'main.css': `@import './parts/colours.css';\n.card { color: var(--ink) }`,
  'parts/colours.css': ':root { --ink: #123456 }',
  'main.ts': `import { double } from './parts/double.ts'
Object.assign(globalThis, { later: () => import('./parts/late.ts'), four: double(2) })`,
  'parts/double.ts': 'export const double = (n: number) => n * 2',
  'parts/late.ts': 'export const late: number = 1',
}

/** Builds a page of these files. */
function buildOf(files: Readonly<Record<string, string>>, folder = temporaryFolder()) {
  mkdirSync(`${folder}/parts`, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text)
  return buildPage(relative(PROGRAM_ROOT, folder), 'page/')
}

const named = (texts: Readonly<Record<string, string>>, pattern: RegExp) => {
  const name = Object.keys(texts).find((name) => pattern.test(name))
  assert(name !== undefined, `${pattern} among ${Object.keys(texts)}`)
  return name
}

describe('a page that is built', () => {
  it('has one script and one style sheet, named in its document, and a script for what is loaded late', async () => {
    const texts = await buildOf(PAGE)
    const [script, style] = [named(texts, /^main-[0-9A-Z]{8}\.js$/), named(texts, /^main-[0-9A-Z]{8}\.css$/)]
    assert.equal(
      texts['index.html'],
      `<link href="page/${style}" rel="stylesheet"><script src="page/${script}"></script><a href="../docs">docs</a>`,
    )
    const late = named(texts, /^late-[0-9A-Z]{8}\.js$/)
    assert.deepEqual(Object.keys(texts).toSorted(), ['index.html', late, script, style].toSorted())
    assert.match(texts[script] ?? '', new RegExp(`import\\("\\./${late}"\\)`))
    assert.match(texts[style] ?? '', /--ink: ?#123456.*\.card/s)
  })

  it('has other names when its content is another, and the same when it is the same', async () => {
    const folder = temporaryFolder()
    const first = await buildOf(PAGE, folder)
    const same = await buildOf(PAGE, folder)
    const other = await buildOf({ ...PAGE, 'parts/double.ts': PAGE['parts/double.ts'].replace('2', '3') }, folder)
    assert.equal(named(first, /^main.*css$/), named(other, /^main.*css$/))
    assert.notEqual(named(first, /^main.*js$/), named(other, /^main.*js$/))
    assert.deepEqual(same, first)
  })

  it('is refused by the name of the module that cannot be joined', async () => {
    await assert.rejects(buildOf({ ...PAGE, 'parts/double.ts': 'export const' }), /parts\/double\.ts/)
    await assert.rejects(buildOf({ ...PAGE, 'main.ts': `import './parts/none.ts'` }), /parts\/none\.ts/)
  })
})

describe('the files of the office', () => {
  it('have the types of what is sent, and none of the schemas', async () => {
    const files = await buildPage('src/office/page', 'office/')
    const script = files[named(files, /^office-[0-9A-Z]{8}\.js$/)] ?? ''
    assert(script.includes('/api/categories/used'), 'it is the script of the page')
    assert(!/additionalProperties|maxLength:/.test(script))
  })

  it('leave no process behind that built them', skipUnless(existsSync('/proc'), 'it is Linux'), async () => {
    await using office = await startOfficeApp()
    assert.equal((await fetch(office.operatorUrl)).status, 200)
    const children = spawnSync('ps', ['-o', 'stat=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' }).stdout
    assert.doesNotMatch(children, /^Z/m)
  })

  it('are not sent again to a browser that has them', async () => {
    await using office = await startOfficeApp()
    const tag = (await fetch(office.operatorUrl)).headers.get('etag') ?? ''
    for (const method of ['GET', 'HEAD']) {
      const known = await fetch(office.operatorUrl, { method, headers: { 'if-none-match': tag } })
      assert.deepEqual([known.status, known.headers.get('etag'), await known.text()], [304, tag, ''])
    }
    assert.equal((await fetch(office.operatorUrl, { headers: { 'if-none-match': '"other"' } })).status, 200)
  })
})
