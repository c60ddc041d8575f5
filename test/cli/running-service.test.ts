/** Commands that change the database while a service runs on it: its next response shows the change. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pets } from '../support/commands/commands.ts'
import { assertWhole, call, message, remaining } from '../support/http.ts'
import { pets as petsProcess, startService } from '../support/service.ts'

describe('commands on a running service', () => {
  it('show in the very next answer: a key made, revoked or rotated, animals imported, a status set (O7)', async () => {
    await using service = await startService({ operatorPort: 'none' })
    const port = service.port
    const database = ['--database', service.database]
    const { key } = await service.issueKey()
    const list = async (query = '') => (await call(port, { path: `/v1/pets${query}`, key })).body

    assert.equal(await list(), '[]')
    await pets(['import', '--create', '-', ...database], { input: 'name,categoryId,status\nRex,1,sold\nMia,2,\n' })
    assert.equal(
      await list(),
      '[{"id":2,"name":"Mia","categoryId":2},{"id":1,"name":"Rex","categoryId":1,"status":"sold"}]',
    )

    assert.equal(await list('?status=available'), '[]')
    assert.equal((await call(port, { path: '/v1/pets/2', key })).body, '{"id":2,"name":"Mia","categoryId":2}')
    await pets(['set-status', '2', 'available', ...database])
    assert.equal(
      (await call(port, { path: '/v1/pets/2', key })).body,
      '{"id":2,"name":"Mia","categoryId":2,"status":"available"}',
    )
    assert.equal(await list('?status=available'), '[{"id":2,"name":"Mia","categoryId":2,"status":"available"}]')

    const { id, key: other } = await service.issueKey('enterprise', { perMinute: 1_000, perDay: 100 })
    assertWhole(await call(port, { key: other }), 200)
    const rotated = JSON.parse(
      (await pets(['keys', 'rotate', id, '--overlap', '3600', '--json', ...database])).stdout,
    ) as { id: string; key: string }
    assert.equal(remaining(await call(port, { key: rotated.key })), 98)
    assertWhole(await call(port, { key: other }), 200)
    await pets(['keys', 'revoke', id, ...database])
    const refused = await call(port, { key: other })
    assertWhole(refused, 401)
    assert.match(message(refused), /valid API key/)
    assertWhole(await call(port, { key: rotated.key }), 200)
    await pets(['keys', 'rotate', rotated.id, '--overlap', '0', ...database])
    assertWhole(await call(port, { key: rotated.key }), 401)
  })

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
