/** The names of categories. Only people see them; the interface has numbers only (O1). */
import type { FastifyInstance } from 'fastify'
import { isLabel, LABEL_RULE } from '../../domain/keys.ts'
import type { Category } from '../office-data.ts'
import { int64Of } from './animals.ts'
import { authorOf, invalid, type OfficeOptions, required } from './routes.ts'

export function addCategoryRoutes(server: FastifyInstance, { store, clock }: OfficeOptions): void {
  const { records } = store
  const list = async (): Promise<Category[]> =>
    [...(await records.categories())].map(([id, label]) => ({ id: id.toString(), label }))

  server.get('/api/categories', { config: { role: 'staff' } }, list)

  server.put<{ Params: { readonly id: string }; Body: { readonly label: string | null } }>(
    '/api/categories/:id',
    { config: { role: 'manager' }, schema: { body: required({ label: { type: ['string', 'null'] } }) } },
    async (request) => {
      const { label } = request.body
      if (label !== null && !isLabel(label)) throw invalid(`The category cannot have this name: ${LABEL_RULE}.`)
      const id = int64Of(request.params.id, 'The category')
      await records.label(id, label ?? undefined, authorOf(request, clock))
      return list()
    },
  )
}
