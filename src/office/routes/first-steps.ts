/** What an office that begins still has to do: derived from what is there; only what people skip is remembered. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasRole } from '../../domain/people.ts'
import type { FirstStep } from '../office-data.ts'
import { addRoute, authorOf, notFound, type OfficeOptions } from './routes.ts'
import { shelterOf } from './session-routes.ts'

const FOR = { name: 'manager', import: 'manager', people: 'operator', keys: 'operator' } as const

/** The member of the shelter that has those that were skipped. */
const SKIPPED = 'skippedSteps'

export function addFirstStepRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store, clock } = options
  const isDone: Readonly<Record<FirstStep['name'], () => Promise<boolean>>> = {
    name: async () => (await shelterOf(options)).name !== '',
    async import() {
      const { json } = await store.pets.list({ limit: 1, status: undefined, before: undefined })
      return json !== '[]' || (await store.imports.list(1)).length > 0
    },
    people: async () => (await store.people.list()).length > 1,
    // The first one is made by the service, if it is started so.
    async keys() {
      const [first, second] = await store.keys.list({ limit: 2 })
      return second !== undefined || first?.lastUsedAtMs !== undefined
    },
  }
  const skipped = async () => (await store.words.shelter())[SKIPPED]?.split(' ') ?? []
  const stepsOf = async ({ person }: FastifyRequest): Promise<FirstStep[]> => {
    const names = Object.entries(FOR).flatMap(([name, role]) =>
      person !== undefined && hasRole(person.role, role) ? [name as keyof typeof FOR] : [],
    )
    const left = await skipped()
    const steps = names.map(async (name): Promise<FirstStep> => {
      const state = (await isDone[name]()) ? 'done' : left.includes(name) ? 'skipped' : 'open'
      return { name, state }
    })
    return Promise.all(steps)
  }

  addRoute(server, 'GET /api/first-steps', stepsOf)

  addRoute(server, 'POST /api/first-steps/:name/skip', async (request) => {
    const step = (await stepsOf(request)).find(({ name }) => name === request.params.name)
    if (step === undefined) throw notFound('There is no such step.')
    const left = new Set([...(await skipped()), step.name])
    await store.words.setShelter({ [SKIPPED]: [...left].join(' ') }, authorOf(request, clock))
    return stepsOf(request)
  })
}
