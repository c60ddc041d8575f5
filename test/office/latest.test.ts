/** Questions of which only the latest counts: whose answers are shown. */
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

describe('the latest question', () => {
  it('alone is answered, in whatever order the answers come', async () => {
    const { said, ask } = desk()
    const [first, second, third] = [1, 2, 3].map(() => Promise.withResolvers<string>())
    const asked = [first, second, third].map((each) => ask(() => each?.promise ?? Promise.reject()))
    second?.reject(new Error('second'))
    third?.resolve('third')
    first?.resolve('first')
    await Promise.all(asked)
    assert.deepEqual(said, ['third'])
  })

  it('fails where it fails, and the next one is asked as if nothing had been', async () => {
    const { said, ask } = desk()
    await ask(() => Promise.reject(new Error('away')))
    await ask(() => Promise.resolve('here'))
    assert.deepEqual(said, ['Error: away', 'here'])
  })

  it('is not answered once it is dropped', async () => {
    const { latest, said, ask } = desk()
    const { promise, resolve } = Promise.withResolvers<string>()
    const asked = ask(() => promise)
    latest.drop()
    resolve('late')
    await asked
    assert.deepEqual(said, [])
  })

  it('throws what the page does wrong with its answer, and does not take it for a failure of the service', async () => {
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
