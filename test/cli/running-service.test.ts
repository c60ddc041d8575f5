/** Commands that change the database while a service runs on it: its next response shows the change. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertWhole, call } from '../support/http.ts'
import { pets as petsProcess, startService } from '../support/service.ts'

describe('commands on a running service', () => {
  it('a long import does not stop lists, and creates are served while its rows are read', async () => {
    await using service = await startService({ operatorPort: 'none' })
    const port = service.port
    const { key } = await service.issueKey()
    const importing = petsProcess(['import', '--create', '-', '--database', service.database], {
      input: `name,categoryId\n${'x,1\n'.repeat(100_000)}`,
    })
    let done = false
    void importing.then(() => {
      done = true
    })
    while (!done) {
      const made = await call(port, { method: 'POST', key, body: '{"name":"y","categoryId":2}' })
      assert(made.status === 201 || made.status === 503, made.body)
      assertWhole(await call(port, { key }), 200)
    }
    assert.equal((await importing).stdout, '100000 animals imported.\n')
    assertWhole(await call(port, { path: '/v1/pets/100000', key }), 200)
  })
})
