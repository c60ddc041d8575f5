/** Acts on several animals, in parts so that nobody else waits. In the journal they are one act with one undo. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MINUTE_MS } from '../../common/clock.ts'
import { shelterZone } from '../../domain/zone.ts'
import { severalValues } from '../../rules/journal.ts'
import type { AnimalChanges } from '../../rules/members.ts'
import type { ActEntry, Author } from '../../store/author.ts'
import type { ChangeOutcome } from '../../store/records.ts'
import type { AnimalRecord } from '../../store/rows.ts'
import { waitOf } from '../../store/waits.ts'
import type { ActResult, BodyOf } from '../office-data.ts'
import { MAX_TARGETS } from '../payloads/animals.ts'
import { assertFree, int64Of, type Target, toFilter, toListed, toTarget } from './animals.ts'
import { invalid, notFound } from './refusals.ts'
import { addRoute, authorOf, type OfficeOptions, toSent } from './routes.ts'

/** Animals of one transaction, about 20 ms. */
const PART = 200
/** Longer than any act takes while the database works. */
const MAX_MS = MINUTE_MS
const DONE_SHOWN = 1_000
const CONFLICTS_SHOWN = 20
/** Per animal: id and version of up to 20 digits, and the members' names. */
const BODY_BYTES = MAX_TARGETS * 96 + 8_192
const MODE = 'all that can be'

type Work = (part: readonly Target[], by: Author) => Promise<ChangeOutcome>

export function addActRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { records } = options.store

  addRoute(server, 'GET /api/animals/found', async (request) => {
    const read = () => records.targets(toFilter(request.query), MAX_TARGETS + 1)
    const targets = await request.server.reads.run(request, read)
    if (targets.length > MAX_TARGETS)
      throw invalid(`At most ${MAX_TARGETS} animals can be changed together. Search or filter first.`)
    return targets.map(toSent)
  })

  addRoute(server, 'POST /api/animals/acts', { bodyLimit: BODY_BYTES }, async (request) => {
    const { body } = request
    const { act, animals } = body
    const changes = changesOf(body)
    if ((act === 'edit') !== Object.keys(changes).length > 0) throw invalid('Only an edit can contain new values.')
    const work: Work = (part, by) =>
      act === 'edit' ? records.change(part, changes, by, MODE) : records[act](part, by, MODE)
    const targets = animals.map(({ id, version }) => toTarget(id, version))
    const entry: ActEntry = { act: `${act} several`, ...(act === 'edit' && { to: severalValues(changes) }) }
    return doInParts(request, options, targets, entry, work)
  })

  addRoute(server, 'POST /api/animals/acts/:n/undo', async (request) => {
    const n = int64Of(request.params.n, 'The act')
    const targets = await records.parts(n, MAX_TARGETS)
    if (targets.length === 0) throw notFound('This act does not exist.')
    const work: Work = (part, by) => records.undo(part, by, MODE)
    return doInParts(request, options, targets, { act: 'undo several', undoes: n }, work)
  })
}

function changesOf({ status, categoryId }: BodyOf<'POST /api/animals/acts'>): AnimalChanges {
  return {
    ...(status !== undefined && { status }),
    ...(categoryId !== undefined && { categoryId: int64Of(categoryId, 'The category') }),
  }
}

/** One animal needs no act of several. */
async function doInParts(
  request: FastifyRequest,
  { clock, store }: OfficeOptions,
  targets: readonly Target[],
  entry: ActEntry,
  work: Work,
): Promise<ActResult> {
  const endMs = clock.monotonic() + MAX_MS
  let partOf: Author['partOf'] = targets.length === 1 ? undefined : entry
  let [done, changed, isWhole] = [0, 0, true]
  const animals: AnimalRecord[] = []
  const conflicts: AnimalRecord[] = []
  for (let first = 0; first < targets.length; first += PART) {
    isWhole = clock.monotonic() < endMs
    if (!isWhole) break
    const outcome = await work(targets.slice(first, first + PART), { ...authorOf(request, clock), partOf })
    assertFree(outcome)
    partOf = outcome.actN ?? partOf
    done += outcome.pets.length
    changed += outcome.changed
    animals.push(...outcome.pets.slice(0, DONE_SHOWN - animals.length))
    conflicts.push(...outcome.conflicts.slice(0, CONFLICTS_SHOWN - conflicts.length))
  }
  const zone = await shelterZone(store)
  const origins = await store.origins.provenance(animals.map(({ id }) => BigInt(id)))
  return {
    n: typeof partOf === 'bigint' ? partOf.toString() : null,
    done,
    changed,
    animals: animals.map((pet, at) => ({ ...toListed(pet), wait: waitOf(origins[at], zone) ?? null })),
    left: targets.length - done,
    conflicts: conflicts.map(toListed),
    isWhole,
  }
}
