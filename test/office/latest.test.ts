/** Requests of which only the latest counts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Latest } from '../../src/office/page/parts/api.ts'

function desk() {
  const latest = new Latest()
  const said: string[] = []
  const ask = (work: () => Promise<string>) =>
    latest.ask(
      work,
      (answer) => void said.push(answer),
      (error) => void said.push(String(error)),
    )
  return { latest, said, ask }
}

describe('the latest request', () => {
  it('is the only one answered, in whatever order responses arrive', async () => {
    const { said, ask } = desk()
    const [first, second, third] = [1, 2, 3].map(() => Promise.withResolvers<string>())
    const asked = [first, second, third].map((each) => ask(() => each?.promise ?? Promise.reject()))
    second?.reject(new Error('second'))
    third?.resolve('third')
    first?.resolve('first')
    await Promise.all(asked)
    assert.deepEqual(said, ['third'])
  })

  it('reports its failure, and the next one is unaffected', async () => {
    const { said, ask } = desk()
    await ask(() => Promise.reject(new Error('away')))
    await ask(() => Promise.resolve('here'))
    assert.deepEqual(said, ['Error: away', 'here'])
  })

  it('is not answered once dropped', async () => {
    const { latest, said, ask } = desk()
    const { promise, resolve } = Promise.withResolvers<string>()
    const asked = ask(() => promise)
    latest.drop()
    resolve('late')
    await asked
    assert.deepEqual(said, [])
  })

  it('throws errors of the page, which are not failures of the service', async () => {
    const latest = new Latest()
    const show = () => {
      throw new TypeError('wrong')
    }
    await assert.rejects(
      latest.ask(
        () => Promise.resolve(1),
        show,
        () => assert.fail('it was answered'),
      ),
      TypeError,
    )
  })
})
