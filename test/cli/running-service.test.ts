/** Commands that change the database while a service runs on it: its next response shows the change. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertDone, commandsOn } from '../support/commands/commands.ts'
import { newDatabase } from '../support/folder.ts'
import { call } from '../support/http.ts'
import { accept } from '../support/office-client.ts'
import { createdId, startService } from '../support/service.ts'

describe('commands on a running service', { concurrency: 2 }, () => {
  it('changes by commands apply immediately, and animals of a key can be found and removed', async () => {
    await using service = await startService({ operatorPort: 'none' })
    const { key, id: keyId } = await service.issueKey()
    const { run, done, told } = commandsOn(service.database)
    const kim = await createdId(service, key, 'Kim')
    await createdId(service, key, 'Kai')
    const get = () => call(service.port, { path: `/v1/pets/${kim}`, key })
    assert.match((await get()).body, /"Kim"/)
    await done('set-status', 'sold', `${kim}`)
    assert.match((await get()).body, /"status":"sold"/)
    await done('remove', `${kim}`)
    assert.equal((await get()).status, 404)
    await done('restore-animal', `${kim}`)
    assert.equal((await get()).status, 200)

    const brought = (await told('find', '--by', keyId, '--since', '2026-01-01')).map(({ name }) => name)
    assert.deepEqual(brought, ['Kai', 'Kim'])
    assert.equal((await run('find', '--by', keyId, '--since', '2999-01-01')).code, 0)
  })

  it('an invite link contains the office address that the service reports', async () => {
    const url = 'https://office.example'
    const database = newDatabase()
    const { run, done } = commandsOn(database)
    const secretOf = (link: string, office: string) =>
      new RegExp(`^${office}/#invitation=([\\w-]{43})\n$`).exec(link)?.[1] ?? assert.fail(link)
    {
      await using service = await startService({ database, args: ['--office'] })
      const invited = assertDone(await run('people', 'invite', 'Ada', '--role', 'manager'))
      assert.match(invited.stderr, /^Ada can use it once, until \S+Z, as manager\. It is shown only now\.\n$/)
      const ada = await accept(service, secretOf(invited.stdout, service.operatorUrl))
      assert.equal(ada.session.role, 'manager')
      assert.match(await done('people'), /\nAda +manager +active +\S+Z +\S+Z\n$/)
      assert(!service.output().includes(secretOf(invited.stdout, service.operatorUrl)))
    }
    await using _elsewhere = await startService({ database, args: ['--office', url] })
    secretOf(await done('people', 'invite', 'Bo', '--role', 'staff'), url)
  })
})
