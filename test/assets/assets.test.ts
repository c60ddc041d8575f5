/** The files of a page on the operator port; pages.test.ts has those of the public port. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../support/service.ts'

describe('the files of the office', () => {
  it('are not sent again to a browser that has them', async () => {
    await using service = await startService({ args: ['--office'] })
    const page = await fetch(service.operatorUrl)
    const tag = page.headers.get('etag') ?? ''
    assert.match(tag, /^"[\w-]+"$/)
    for (const method of ['GET', 'HEAD']) {
      const known = await fetch(service.operatorUrl, { method, headers: { 'if-none-match': tag } })
      assert.equal(known.status, 304)
      assert.equal(await known.text(), '')
      assert.equal(known.headers.get('etag'), tag)
    }
    const other = await fetch(service.operatorUrl, { headers: { 'if-none-match': '"other"' } })
    assert.equal(other.status, 200)
    assert.equal(await other.text(), await page.text())
  })
})
