/** How tests drive the office in a browser. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { files, read } from './tree.ts'

/** A click on a link, or another address of the page, after which the screen before is still there. */
const WITHOUT_WAIT = /getByRole\('link'.*\)\.click\(\)|\.goto\(.*#/
const A_CHAIN_GOES_ON = /\n +(?=\.)/g

it('another screen of the office is gone to by what waits for it: what is looked for may be on the screen before', () => {
  assert.match(`await page.getByRole('link', { name: 'Add' }).first().click()`, WITHOUT_WAIT)
  assert.match(`await page.goto(office.url + '#add')`, WITHOUT_WAIT)
  const tests = files.filter((file) => /^test\/(?:office\/browser|screens)\/(?!firefox)/.test(file))
  assert.ok(tests.length > 15)
  const lines = tests.flatMap((file) =>
    read(file)
      .replace(A_CHAIN_GOES_ON, '')
      .split('\n')
      .map((line) => `${file}: ${line.trim()}`),
  )
  assert.deepEqual(
    lines.filter((line) => WITHOUT_WAIT.test(line)),
    [],
    'use `go` of office-browser.ts; press Enter on a link where leaving asks first',
  )
})
