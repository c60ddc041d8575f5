/** Which animals a change may reach, and what is written of it, without a database. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { mayUndo, partition, untouched } from '../../src/rules/changes.ts'
import { ANIMAL_MEMBERS, type AnimalMembers, difference, ofTexts, readMembers } from '../../src/rules/members.ts'

const pet = (id: bigint, version: bigint) => ({ id: String(id), version, removedAtMs: undefined })
const entry = (n: bigint, act: string, to: string) => ({ n, petId: '1', act, from: undefined, to })

const members: fc.Arbitrary<AnimalMembers> = fc.record({
  name: fc.string({ unit: 'binary' }),
  categoryId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  status: fc.constantFrom('available', 'pending', 'sold', null),
  ...ofTexts(() => fc.option(fc.string({ minLength: 1 }))),
})

describe('the members of an animal', () => {
  it('are read from an entry as they were before and after a change', () => {
    fc.assert(
      fc.property(members, members, (before, after) => {
        const { from, to } = difference(before, after) ?? {}
        const differing = ANIMAL_MEMBERS.filter((name) => before[name] !== after[name])
        const only = (one: AnimalMembers) => Object.fromEntries(differing.map((name) => [name, one[name]]))
        assert.deepEqual([readMembers(from), readMembers(to)], [only(before), only(after)])
      }),
    )
  })

  it('are recorded for a new animal only if they have a value', () => {
    const values = difference({}, { name: '"', categoryId: 9007199254740993n, status: null })
    assert.deepEqual(values, { from: undefined, to: String.raw`{"name":"\"","categoryId":9007199254740993}` })
  })
})

describe('a change of animals', () => {
  it('reaches all or none, or all that can be', () => {
    const pets = [pet(1n, 5n), pet(2n, 7n)]
    const targets = [{ id: 1n, version: 5n }, { id: 2n, version: 6n }, 3n]
    const isOpen = (_: unknown, isAsRead: boolean) => isAsRead
    const { reached, missing, conflicts } = partition(targets, pets, 'all that can be', isOpen)
    assert.deepEqual([reached, missing, conflicts], [[pets[0]], [3n], [pets[1]]])
    assert.deepEqual(partition(targets, pets, 'all or none', isOpen).reached, [])
    assert.deepEqual(partition([1n], pets.slice(0, 1), 'all or none', isOpen).reached, [pets[0]])
  })

  it('is a conflict if someone has edited the same member since, or done anything except an edit', () => {
    const [target, now] = [{ id: 1n, version: 5n }, [pet(1n, 7n)]]
    const isOpen = (...entries: Parameters<typeof untouched>[2]) =>
      untouched([target], now, entries, ['name', 'status']).has('1')
    assert(isOpen(entry(6n, 'edit', '{"categoryId":3}')))
    assert(isOpen(entry(5n, 'edit', '{"name":"Rex"}')))
    assert(!isOpen(entry(6n, 'edit', '{"name":"Rex"}')))
    assert(!isOpen(entry(6n, 'edit', '{"categoryId":3}'), entry(7n, 'edit', '{"status":null}')))
    assert(!isOpen(entry(6n, 'restore', '{}')))
    assert(!isOpen({ ...entry(6n, 'edit', '{"left":true}'), statusWas: 'none', statusNow: 'left' }))
    assert(!untouched([{ id: 1n, version: 8n }], now, [], ['name']).has('1'), 'a version that is yet to come')
  })
})

it('additions, edits, removals and restorations can be undone, as long as the animal is as they left it', () => {
  for (const [act, isRemoved, expected] of [
    ['add', false, true],
    ['add', true, false],
    ['edit', false, true],
    ['edit', true, false],
    ['remove', true, true],
    ['remove', false, false],
    ['restore', false, true],
    ['restore', true, false],
    ['purge', false, false],
    [undefined, false, false],
  ] as const) {
    assert.equal(mayUndo(act, isRemoved), expected, `${act} ${isRemoved}`)
  }
})
