/** Routes for categories. */
import type { FastifyInstance } from 'fastify'
import { labelOf, sharedNameSentence, UNNAMABLE } from '../../rules/labels.ts'
import type { Category, CategoryName } from '../office-data.ts'
import { int64Of } from './animals.ts'
import { wrongMember } from './refusals.ts'
import { addRoute, authorOf, type OfficeOptions } from './routes.ts'

const UNNAMED_SHOWN = 100

export function addCategoryRoutes(server: FastifyInstance, { store, clock }: OfficeOptions): void {
  const { categories } = store
  const list = async (): Promise<Category[]> =>
    [...(await categories.names())].map(([id, label]) => ({ id: id.toString(), label }))

  addRoute(server, 'GET /api/categories', list)

  addRoute(server, 'GET /api/categories/used', async () => {
    const { used, others } = await categories.counts(UNNAMED_SHOWN)
    const names = await categories.names()
    const ids = [...new Set([...names.keys(), ...used.keys()])].sort((a, b) => (a < b ? -1 : 1))
    const lines = ids.map((id) => {
      return { id: id.toString(), label: names.get(id) ?? null, ...(used.get(id) ?? { animals: 0, removed: 0 }) }
    })
    return { categories: lines, others }
  })

  addRoute(server, 'PUT /api/categories', async (request) => {
    const { numbered, more } = namesOf(request.body.names)
    const shared = await categories.name(numbered, authorOf(request, clock), more)
    if (shared !== undefined) throw wrongMember('label', sharedNameSentence(shared), [409, 'conflict'])
    return list()
  })
}

function namesOf(names: readonly CategoryName[]) {
  const numbered = new Map<bigint, string | undefined>()
  const more: string[] = []
  for (const { id, label: text } of names) {
    const label = labelOf(text ?? '')
    if (text !== null && label === undefined) throw wrongMember('label', `This ${UNNAMABLE}.`)
    if (id !== null) numbered.set(int64Of(id, 'The category'), label)
    else if (label !== undefined) more.push(label)
  }
  return { numbered, more }
}
