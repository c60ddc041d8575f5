/** Routes for settings of the whole office, and the first steps of a new one. */
import type { FastifyInstance } from 'fastify'
import { PetStatus } from '../../contract/schemas.ts'
import { SETTING_NAMES, SETTINGS, settingProblem } from '../../domain/settings.ts'
import { sharedWordSentence, WORD_RULE, wordOf } from '../../rules/labels.ts'
import { hasRole } from '../../rules/roles.ts'
import type { BodyOf, FirstStep } from '../office-data.ts'
import { roleOf } from './animals.ts'
import { OfficeRefusal, wrongMember } from './refusals.ts'
import { addRoute, authorOf, type OfficeOptions } from './routes.ts'
import { shelterOf } from './session-routes.ts'

const FOR = { settings: 'manager', import: 'manager', people: 'operator' } as const

export function addSettingsRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store, clock } = options

  addRoute(server, 'PUT /api/words', async (request) => {
    const shared = await store.words.set(wordsOf(request.body), authorOf(request, clock))
    if (shared !== undefined) throw wrongMember(shared.status, sharedWordSentence(shared), [409, 'conflict'])
    return store.words.ofStatuses()
  })

  addRoute(server, 'GET /api/shelter', async () => ({ name: (await shelterOf(options)).name }))

  addRoute(server, 'PUT /api/shelter', async (request) => {
    const { body } = request
    const values = Object.fromEntries(Object.entries(body).map(([member, value]) => [member, value?.trim() ?? '']))
    assertNone(shelterProblems(values))
    await store.words.setShelter(values, authorOf(request, clock))
    return shelterOf(options)
  })

  addRoute(server, 'GET /api/page', async () => {
    const { folder = null, lastSuccessMs: writtenAtMs = null, failure = null } = options.publishing ?? {}
    return { folder, writtenAtMs, failure }
  })

  addFirstStepRoutes(server, options)
}

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

function assertNone(problems: Readonly<Record<string, string>>): void {
  const [first] = Object.values(problems)
  if (first !== undefined) throw new OfficeRefusal(400, 'invalid', first, { problems })
}

function shelterProblems(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const problems = SETTING_NAMES.flatMap((name) => {
    const problem = settingProblem(name, values[name] ?? '')
    return problem === undefined ? [] : [[name, `The ${SETTINGS[name].about} ${problem}.`] as const]
  })
  return Object.fromEntries(problems)
}

function wordsOf(words: BodyOf<'PUT /api/words'>): ReadonlyMap<PetStatus, string | undefined> {
  const given = PetStatus.enum.flatMap((status) => {
    const text = words[status]
    return text === undefined ? [] : [{ status, text, word: wordOf(text ?? '') }]
  })
  const wrong = given.filter(({ text, word }) => text !== null && word === undefined)
  assertNone(
    Object.fromEntries(wrong.map(({ status }) => [status, `This cannot be the word for ${status}: ${WORD_RULE}.`])),
  )
  return new Map(given.map(({ status, word }) => [status, word]))
}
