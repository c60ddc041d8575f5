/** Compression: only for lists, because length can reveal secrets. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startOfficeApp } from '../support/office-app.ts'

it('a long list is compressed if the client accepts it, and a write’s response never', async () => {
  await using office = await startOfficeApp()
  const person = await office.enter('Ada', 'operator')
  const short = await person.get('/api/animals')
  assert.equal(short.headers.get('content-encoding'), null)
  const name = 'Rex '.repeat(49).trim()
  for (let n = 0; n < 10; n += 1) {
    const added = await fetch(`${office.operatorUrl}/api/animals`, {
      method: 'POST',
      headers: { ...person.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `${name} ${n}`, categoryId: '1', status: null, formToken: String(n).repeat(32) }),
    })
    assert.deepEqual([added.status, added.headers.get('content-encoding')], [201, null])
    await added.text()
  }
  const long = await person.get('/api/animals')
  assert.equal(long.headers.get('content-encoding'), 'gzip')
  assert.equal(long.headers.get('vary'), 'Accept-Encoding')
  const { animals } = (await long.json()) as { animals: { name: string }[] }
  assert.equal(animals[0]?.name, `${name} 9`)
})
