/**
 * What becomes of an animal whose response was lost, if the caller wants it looked for: with the real service, and with
 * scripted ones where a list does not tell.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pets } from '../../test/support/commands/commands.ts'
import { startService } from '../../test/support/service.ts'
import { systemClock } from '../src/clock.ts'
import {
  AbortedError,
  CallError,
  type Clock,
  type NewPet,
  type Pet,
  PetAdoption,
  UnknownOutcomeError,
} from '../src/index.ts'
import { clientOf, failureOf, lists, REX } from './support/client.ts'
import { type Answer, failure, json, serve } from './support/server.ts'

const PET: NewPet = { name: 'Rex', categoryId: 1 }
const LOOK = { onUnknown: 'look' } as const

/** What happens to the requests that add an animal, one after the other; then all of them arrive and are answered. */
type Fate = 'answer lost' | 'request lost' | 'answered'

/** A fetch over which requests that add an animal, and their answers, are lost. */
function losing(...fates: Fate[]): typeof fetch {
  return async (input, init) => {
    const fate = init?.method === 'POST' ? fates.shift() : undefined
    if (fate === 'request lost') throw new TypeError('cut')
    const response = await fetch(input, init)
    await response.clone().text()
    if (fate === 'answer lost') throw new TypeError('cut')
    return response
  }
}

/** A clock by which requests time out when they come to an answer that is silent, and not before. */
function silence(): { readonly clock: Clock; readonly silent: Answer } {
  const timeouts = new Set<() => void>()
  const clock: Clock = {
    ...systemClock,
    after(ms, task) {
      if (ms !== 30_000) return systemClock.after(ms, task)
      timeouts.add(task)
      return () => timeouts.delete(task)
    },
  }
  return { clock, silent: () => timeouts.forEach((end) => void end()) }
}

describe('createPet that looks', { concurrency: true }, () => {
  it('finds what was added, adds what was not, and never twice, with the real service', async () => {
    await using service = await startService({ operatorPort: 'none' })
    const { key } = await service.issueKey()
    const clientThat = (...fates: Fate[]) =>
      new PetAdoption({ baseUrl: service.baseUrl, apiKey: key, random: () => 0, fetch: losing(...fates) })
    const stories: [string, Fate[]][] = [
      ['found', ['answer lost']],
      ['sent again', ['request lost', 'answered']],
      ['sent again and found', ['request lost', 'answer lost']],
    ]
    const added = await Promise.all(
      stories.map(async ([name, fates]) => (await clientThat(...fates).createPet({ ...PET, name }, LOOK)).id),
    )
    // One like it was there before: it is told from the new one.
    const same = await clientThat('answer lost').createPet({ ...PET, name: 'found' }, LOOK)
    const { stdout } = await pets(['export', '--database', service.database])
    const stored = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; name: string })
    assert.equal(stored.length, 4)
    for (const [index, [name]] of stories.entries()) {
      assert.equal(stored.find(({ id }) => BigInt(id) === added[index])?.name, name)
    }
    assert(!added.includes(same.id) && stored.some(({ id }) => BigInt(id) === same.id))
  })

  it('asks nothing more of a service that answers, but for the newest animal once', async () => {
    await using server = await serve(json(200, '[]'), json(201, REX))
    const client = clientOf(server)
    for (const _ of [1, 2]) await client.createPet(PET, LOOK)
    assert.deepEqual(server.requests, ['GET /v1/pets?limit=1', 'POST /v1/pets', 'POST /v1/pets'])
  })

  const cut: Answer = (request) => request.socket.destroy()
  const animals = (ids: readonly number[], name = 'Max') =>
    json(200, `[${ids.map((id) => `{"id":${id},"name":"${name}","categoryId":1}`)}]`)
  const known = json(200, `[${REX}]`)
  const descending = Array.from({ length: 100 }, (_, index) => 200 - index)
  const unknowns: [string, Answer[], RegExp][] = [
    ['two like it are new', [known, cut, animals([9, 8, 7], 'Rex')], /2 like it are there/],
    ['the list cannot be had', [known, cut, failure(404, 'not_found')], /looking for it failed \(scripted 404\)/],
    ['a hundred others are newer', [known, cut, animals(descending)], /more than 100 animals are newer/],
    [
      'the list is in another order',
      [known, cut, animals([...descending].reverse())],
      /does not begin with the newest/,
    ],
  ]
  for (const [what, script, why] of unknowns) {
    it(`says that the outcome is unknown, and adds nothing more, if ${what}`, async () => {
      await using server = await serve(...script)
      const error = await failureOf(clientOf(server, { random: () => 0 }).createPet(PET, LOOK))
      assert(error instanceof UnknownOutcomeError, `${error}`)
      assert.match(error.message, /^POST \/pets: unknown whether the animal was added: /)
      assert.match(error.message, why)
      assert(error.mayBeDone && error.cause instanceof CallError)
      assert.equal(server.requests.filter((line) => line.startsWith('POST')).length, 1)
    })
  }

  it('says so of a time-out too, unless the animal is there by then', async () => {
    const { clock, silent } = silence()
    await using server = await serve(known, silent, lists)
    const error = await failureOf(clientOf(server, { random: () => 0, clock }).createPet(PET, LOOK))
    assert(error instanceof UnknownOutcomeError && /may still come/.test(error.message), `${error}`)
    await using other = await serve(known, silent, animals([8], 'Rex'))
    const found = await clientOf(other, { random: () => 0, clock }).createPet(PET, LOOK)
    assert.equal(found.id, 8n)
  })

  it('looks once more when its signal ends it, with a request of its own that has the time of one', async () => {
    const { clock, silent } = silence()
    const aborted = async (...after: Answer[]) => {
      const ending = new AbortController()
      await using server = await serve(known, () => ending.abort(), ...after)
      const call = clientOf(server, { clock }).createPet(PET, { ...LOOK, signal: ending.signal })
      return [await call.catch((error: Error) => error), server.requests.length] as const
    }
    const [found] = await aborted(animals([8], 'Rex'))
    assert.equal((found as Pet).id, 8n)
    for (const [answer, why] of [
      [lists, /may still come/],
      [failure(500, 'no'), /looking for it failed \(scripted 500\)/],
      [silent, /looking for it failed \(GET \S+ (?:aborted|no answer)/],
    ] satisfies [Answer, RegExp][]) {
      const [error, requests] = await aborted(answer)
      assert(error instanceof UnknownOutcomeError && why.test(error.message), `${error}`)
      assert(error.mayBeDone && error.cause instanceof AbortedError)
      assert.equal(requests, 3)
    }
  })

  it('takes no animal for its own that another call of the client has added', async () => {
    let posts = 0
    await using server = await serve((request, response) => {
      if (request.method === 'GET') return (posts === 0 ? known : animals([8, 7], 'Rex'))(request, response)
      if (++posts === 1) return cut(request, response)
      json(201, REX.replace('7', String(6 + posts)))(request, response)
    })
    const client = clientOf(server, { random: () => 0 })
    await client.listPets()
    const ids = (await Promise.all([client.createPet(PET, LOOK), client.createPet(PET)])).map(({ id }) => id)
    assert.deepEqual(ids.toSorted(), [8n, 9n])
  })

  it('gives up with the error of the last attempt when none of all was there', async () => {
    await using server = await serve(known, failure(500, 'internal_error'), known, failure(503, 'unavailable'), known)
    const error = await failureOf(clientOf(server, { random: () => 0, maxAttempts: 2 }).createPet(PET, LOOK))
    assert.match(error.message, /scripted 503/)
    assert.equal(server.requests.length, 5)
  })
})
