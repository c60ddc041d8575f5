/** The end of a history: all that can be seen of the shelter is what the model says. */
import { assertSame, type History } from './history.ts'
import type { Place, Seen, SeenEntry } from './place.ts'

export async function assertEnd(history: History, place: Place): Promise<void> {
  history.tell('pets export; pets journal --json; pets keys list --json; pets imports --json')
  const { animals, journal, keys, imports } = await place.seen()
  assertAnimals(history, animals)
  assertJournal(history, journal)
  assertKeys(history, keys)
  const expected = [...history.state.imports].map(([n, { isUndone }]) => ({ n: String(n), isUndone }))
  assertSame('the imports, and which are undone', imports, expected)
}

function assertAnimals({ state }: History, animals: Seen['animals']): void {
  const expected = [...state.animals]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { name, categoryId, status }]) => {
      const rest = status === undefined ? '' : `,"status":"${status}"`
      return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`
    })
  assertSame('how many animals are exported', animals.length, expected.length)
  for (const [n, animal] of expected.entries()) assertSame('an exported animal', animals[n], animal)
}

/** A ban is entered by the service, at a moment of its own: only whose it is must be right. */
function assertJournal({ state }: History, all: Seen['journal']): void {
  const seen = all.filter(({ act, key = '' }) => {
    if (act !== 'ban key') return true
    assertSame(`whether there is the banned key ${key}`, state.keys.has(key), true)
    return false
  })
  const isExact = seen[0]?.atMs !== undefined
  const [journal, entries] = [inOrder(seen, isExact), inOrder(state.journal, isExact)]
  for (const [n, { atMs, act, animal, key, from, to }] of journal.entries()) {
    const entry = entries[n]
    const expected = { act: entry?.act, animal: entry?.animal, key: entry?.key, from: entry?.from }
    assertSame(`entry ${n + 1} of the journal`, { act, animal, key, from }, expected)
    assertSame(
      `what entry ${n + 1} of the journal says`,
      isExact ? to : timeless(to),
      isExact ? entry?.to : timeless(entry?.to),
    )
    if (atMs !== undefined) assertSame(`the time of entry ${n + 1} of the journal`, atMs, entry?.atMs)
  }
  assertSame('how many entries the journal has', journal.length, state.journal.length)
}

const timeless = (to: string | undefined) => (to?.includes('successor') ? to.replace(/"expires":"[^"]*"/, '') : to)

/** In which order a purge forgets animals, or PostgreSQL does several at once, nobody has said. */
function inOrder<Entry extends SeenEntry>(journal: readonly Entry[], isExact: boolean): readonly Entry[] {
  const ordered = [...journal]
  for (let from = 0; from < ordered.length; from += 1) {
    const { act, atMs } = ordered[from] ?? {}
    if (isExact && act !== 'purge') continue
    let to = from + 1
    while (ordered[to]?.act === act && (!isExact || ordered[to]?.atMs === atMs)) to += 1
    const together = ordered.slice(from, to).sort((a, b) => Number(a.animal ?? 0) - Number(b.animal ?? 0))
    ordered.splice(from, to - from, ...together)
    from = to - 1
  }
  return ordered
}

function assertKeys({ state }: History, keys: Seen['keys']): void {
  assertSame('how many keys there are', keys.length, state.keys.size)
  for (const { id, plan, perMinute, perDay, label, isRevoked, times } of keys) {
    const key = state.keys.get(id)
    const terms = { plan: key?.plan, perMinute: key?.perMinute, perDay: key?.perDay, label: key?.label }
    const wanted = { ...terms, isRevoked: key?.revokedAtMs !== undefined }
    assertSame(`the key ${id}`, { plan, perMinute, perDay, label, isRevoked }, wanted)
    if (times === undefined) continue
    const usedAtMs = key?.usedAtMs === 'unknown' ? times.usedAtMs : key?.usedAtMs
    const expected = { createdAtMs: key?.createdAtMs, expiresAtMs: key?.expiresAtMs, usedAtMs }
    assertSame(`the times of the key ${id}`, times, expected)
  }
}
