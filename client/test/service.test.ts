/** The client against the real service: exact numbers, its errors, its limits, and a node that is killed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { freePort } from '../../test/support/servers.ts'
import { pets, startService } from '../../test/support/service.ts'
import { NetworkError, PetAdoption, PetAdoptionError, type Retry } from '../src/index.ts'

const MINUTE_MS = 60_000

describe('with the real service, the client', () => {
  it('carries 2^63-1, -2^63 and difficult names there and back without losing a digit (R5, O19)', async () => {
    await using service = await startService()
    const { key } = await service.issueKey()
    const client = new PetAdoption({ baseUrl: service.baseUrl, apiKey: key })
    for (const categoryId of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 0n]) {
      for (const name of ['', 'Ärmel "7" \\ 🐕', '\u2028\n9007199254740993']) {
        const pet = await client.createPet({ name, categoryId, status: 'pending' })
        assert.deepEqual(pet, { id: pet.id, name, categoryId, status: 'pending' })
        assert.deepEqual(await client.getPet(pet.id), pet)
        assert.deepEqual(await client.listPets({ limit: 1, status: 'pending' }), [pet])
      }
    }
    const { id, ...rest } = await client.createPet({ name: 'Rex', categoryId: 7 })
    assert.deepEqual(
      [typeof id, rest],
      ['bigint', { name: 'Rex', categoryId: 7n }],
      'no status is given, none comes (O4)',
    )
  })

  it('gives the errors of the service as PetAdoptionError (R6, R10, R11, R13)', async () => {
    await using service = await startService()
    const { key } = await service.issueKey()
    const client = new PetAdoption({ baseUrl: service.baseUrl, apiKey: key })
    const stranger = new PetAdoption({ baseUrl: service.baseUrl, apiKey: 'nobody' })
    const failed = async (call: Promise<unknown>) => {
      const error = await call.then(
        () => assert.fail('the call succeeded'),
        (error: unknown) => error,
      )
      assert(error instanceof PetAdoptionError)
      return [error.status, error.code]
    }
    assert.deepEqual(await failed(stranger.listPets()), [401, 'unauthorized'])
    assert.deepEqual(await failed(client.getPet(-1)), [404, 'not_found'])
    assert.deepEqual(await failed(client.listPets({ limit: 101 })), [400, 'invalid_request'])
    assert.deepEqual(await failed(client.createPet({ name: 'a\0b', categoryId: 1 })), [400, 'invalid_request'])
  })

  it('knows the limit of a Free key, hits it, and is told by onRetry how long to wait (R14, R15, R16)', async () => {
    await using service = await startService()
    const { key } = await service.issueKey('free', [])
    const retries: (Retry & { atMs: number })[] = []
    const enough = new AbortController()
    const client = new PetAdoption({
      baseUrl: service.baseUrl,
      apiKey: key,
      onRetry: (retry) => {
        retries.push({ ...retry, atMs: Date.now() })
        enough.abort()
      },
    })
    await client.listPets()
    assert.equal(client.rateLimit?.limit, 60)
    assert.equal((client.rateLimit?.reset.getTime() ?? 1) % MINUTE_MS, 0)
    // A minute that ends under way gives the key sixty more requests, but never twice.
    const asked = async () => {
      for (let request = 0; request < 130; request++) await client.listPets({}, { signal: enough.signal })
    }
    await assert.rejects(asked(), { name: 'AbortError' })
    const [retry] = retries
    assert(retry?.error instanceof PetAdoptionError)
    const { error, waitMs, attempt, atMs } = retry
    assert.deepEqual([error.status, error.code, attempt, retries.length], [429, 'rate_limited', 1, 1])
    const leftMs = (client.rateLimit?.reset.getTime() ?? 0) - atMs
    const askedMs = (error.retryAfter ?? 0) * 1_000
    assert(askedMs >= leftMs && askedMs < leftMs + 2_000, `asked to wait ${askedMs} ms with ${leftMs} ms left`)
    assert(waitMs >= leftMs && waitMs < askedMs + 500, `waits ${waitMs} ms`)
    assert.equal(client.rateLimit?.remaining, 0)
  })

  it('rides out a node that is killed: no list fails, and nothing acknowledged is lost or added twice', async () => {
    const database = `sqlite:${temporaryFolder()}/pets.db`
    const args = ['--port', String(await freePort())]
    const first = await startService({ database, args })
    const { key } = await first.issueKey()
    const client = new PetAdoption({ baseUrl: first.baseUrl, apiKey: key, maxAttempts: 10 })
    let isOver = false
    const acknowledged: string[] = []
    const failures: unknown[] = []

    const create = async (_: unknown, creator: number) => {
      for (let number = 0; !isOver; number++) {
        const name = `${creator}-${number}`
        await client.createPet({ name, categoryId: 1 }).then(
          () => acknowledged.push(name),
          async (error: unknown) => {
            failures.push(error)
            await new Promise((done) => setTimeout(done, 50))
          },
        )
      }
    }
    let lists = 0
    const list = async () => {
      for (; !isOver; lists++) await client.listPets()
    }
    const work = Promise.all([...Array.from({ length: 4 }, create), list(), list()])
    await new Promise((done) => setTimeout(done, 300))
    const before = { acknowledged: acknowledged.length, lists }
    first.process.kill('SIGKILL')
    await new Promise((done) => first.process.once('exit', done))
    await using _second = await startService({ database, args })
    // The longest back-off that the lists may be in by now, and then some more work.
    await client.listPets()
    await new Promise((done) => setTimeout(done, 300))
    isOver = true
    await work

    assert(before.acknowledged > 0 && before.lists > 0 && acknowledged.length > before.acknowledged)
    assert(failures.length > 0 && failures.every((error) => error instanceof NetworkError), `${failures[0]}`)
    const { stdout } = await pets(['export', '--database', database])
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { name: string }).name)
    assert.equal(new Set(names).size, names.length, 'no animal was added twice')
    assert.deepEqual(
      acknowledged.filter((name) => !names.includes(name)),
      [],
      'nothing acknowledged was lost',
    )
  })
})
