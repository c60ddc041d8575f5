/** The categories, and what holds for all of the office. */
import type { FastifyInstance } from 'fastify'
import { PetStatus } from '../../contract/schemas.ts'
import { SETTING_NAMES, SETTINGS, settingProblem } from '../../domain/settings.ts'
import { labelOf, sharedNameSentence, sharedWordSentence, UNNAMABLE, WORD_RULE, wordOf } from '../../rules/labels.ts'
import { hasRole } from '../../rules/roles.ts'
import type { BodyOf, Category, CategoryName, FirstStep } from '../office-data.ts'
import { int64Of, roleOf } from './animals.ts'
import { invalid, OfficeRefusal } from './refusals.ts'
import { addRoute, authorOf, type OfficeOptions } from './routes.ts'
import { shelterOf } from './session-routes.ts'

/** Categories without a name beyond these are counted. */
const UNNAMED_SHOWN = 100

/** The first steps, and the role that each is for. */
const FOR = { settings: 'manager', import: 'manager', people: 'operator' } as const

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
    if (shared !== undefined) throw new OfficeRefusal(409, 'conflict', sharedNameSentence(shared))
    return list()
  })
}

/** What the shelter is called, how it is reached, and its own words for statuses, which every session is told. */
export function addSettingsRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store, clock } = options

  addRoute(server, 'PUT /api/words', async (request) => {
    const shared = await store.words.set(wordsOf(request.body), authorOf(request, clock))
    if (shared !== undefined) throw new OfficeRefusal(409, 'conflict', sharedWordSentence(shared))
    return store.words.ofStatuses()
  })

  addRoute(server, 'GET /api/shelter', async () => ({ name: (await shelterOf(options)).name }))

  addRoute(server, 'PUT /api/shelter', async (request) => {
    const { body } = request
    const values = Object.fromEntries(Object.entries(body).map(([member, value]) => [member, value?.trim() ?? '']))
    const problems = shelterProblems(values)
    const [first] = Object.values(problems)
    if (first !== undefined) throw new OfficeRefusal(400, 'invalid', first, { problems })
    await store.words.setShelter(values, authorOf(request, clock))
    return shelterOf(options)
  })

  addFirstStepRoutes(server, options)
}

/** What a new office still has to do, derived from what it has. */
function addFirstStepRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store } = options
  const isDone: Readonly<Record<FirstStep['name'], () => Promise<boolean>>> = {
    async settings() {
      const { name, zone } = await shelterOf(options)
      return name !== '' && zone !== ''
    },
    import: async () => (await store.imports.list(1)).length > 0,
    people: async () => (await store.people.list()).length > 1,
  }

  addRoute(server, 'GET /api/first-steps', (request) => {
    const names = (Object.keys(FOR) as (keyof typeof FOR)[]).filter((name) => hasRole(roleOf(request), FOR[name]))
    return Promise.all(names.map(async (name): Promise<FirstStep> => ({ name, isDone: await isDone[name]() })))
  })
}

/** What is wrong, by setting. */
function shelterProblems(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const problems = SETTING_NAMES.flatMap((name) => {
    const problem = settingProblem(name, values[name] ?? '')
    return problem === undefined ? [] : [[name, `The ${SETTINGS[name].about} ${problem}.`] as const]
  })
  return Object.fromEntries(problems)
}

function wordsOf(words: BodyOf<'PUT /api/words'>): ReadonlyMap<PetStatus, string | undefined> {
  return new Map(
    PetStatus.enum.flatMap((status) => {
      const text = words[status]
      if (text === undefined) return []
      const word = wordOf(text ?? '')
      if (text !== null && word === undefined)
        throw invalid(`The status ${status} cannot be called this: ${WORD_RULE}.`)
      return [[status, word] as const]
    }),
  )
}

function namesOf(names: readonly CategoryName[]) {
  const numbered = new Map<bigint, string | undefined>()
  const more: string[] = []
  for (const { id, label: text } of names) {
    const label = labelOf(text ?? '')
    if (text !== null && label === undefined) throw invalid(`This ${UNNAMABLE}.`)
    if (id !== null) numbered.set(int64Of(id, 'The category'), label)
    else if (label !== undefined) more.push(label)
  }
  return { numbered, more }
}
