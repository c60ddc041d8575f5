/** Unsaved text in fields that responses fill again. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Draft } from '../../src/office/page/parts/draft.ts'

it('a draft keeps only text typed since its save, even if fields were filled again', async () => {
  const draft = new Draft()
  const field = () => ({ control: { value: '', defaultValue: '' } })
  const [name, note] = [field(), field()]
  draft.fill({ name, note }, { name: 'Before' })
  name.control.value = 'Saved'
  await draft.save(async () => {
    draft.fill({ name, note }, { name: 'Before' })
    note.control.value = 'Since'
  })
  assert.deepEqual(draft.typed, { note: 'Since' })
  name.control.value = 'Refused'
  await assert.rejects(draft.save(() => Promise.reject(new Error('refused'))))
  assert.deepEqual(draft.typed, { name: 'Refused', note: 'Since' })
})
