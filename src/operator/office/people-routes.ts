/** Who may use the office: listed, invited, revoked. */
import type { FastifyInstance } from 'fastify'
import {
  foldName,
  invitationLink,
  invitePerson,
  NAME_RULE,
  personName,
  revokePerson,
  stateOfPerson,
} from '../../domain/people.ts'
import { type PersonRecord, ROLES } from '../../store/people.ts'
import type { Invitation, NewPerson, Person } from '../office-data.ts'
import { authorOf, confirmPassphrase, type OfficeOptions, OfficeRefusal } from './routes.ts'

const NEW_PERSON = {
  type: 'object',
  required: ['name', 'role', 'passphrase'],
  properties: { name: { type: 'string' }, role: { enum: ROLES }, passphrase: { type: 'string' } },
} as const

const FOR_OPERATORS = { config: { role: 'operator' } } as const

export function addPeopleRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store, clock, randomBytes } = options
  const list = async (): Promise<Person[]> => (await store.people.list()).map((person) => describe(person, clock()))

  server.get('/api/people', FOR_OPERATORS, list)

  server.post<{ Body: NewPerson }>(
    '/api/people',
    { ...FOR_OPERATORS, schema: { body: NEW_PERSON } },
    async (request, reply): Promise<Invitation> => {
      const { name, role, passphrase } = request.body
      const { who } = authorOf(request, clock)
      if (personName(name) === undefined) throw new OfficeRefusal(400, 'invalid', `Choose another name: ${NAME_RULE}.`)
      if (foldName(name) === foldName(who) && role !== request.person?.role) {
        throw new OfficeRefusal(400, 'invalid', 'You cannot change your own role; another operator can.')
      }
      await confirmPassphrase(request, passphrase)
      const { invited, person } = await invitePerson({ store, clock, randomBytes, who }, { name, role }).catch(
        toRefusal,
      )
      reply.code(201)
      const link = invitationLink(options.officeUrl, invited.secret)
      return { person: describe(person, clock()), link, endsAtMs: invited.endsAtMs }
    },
  )

  server.post<{ Params: { name: string } }>('/api/people/:name/revoke', FOR_OPERATORS, async (request) => {
    const { name } = request.params
    if (foldName(name) === foldName(request.person?.name ?? '')) {
      throw new OfficeRefusal(400, 'invalid', 'You cannot revoke yourself; another operator can.')
    }
    const isThere = personName(name) !== undefined && (await revokePerson(store, name, authorOf(request, clock)))
    if (!isThere) throw new OfficeRefusal(404, 'not_found', 'There is nobody of this name.')
    return list()
  })
}

function describe(person: PersonRecord, nowMs: number): Person {
  const { name, role, createdAtMs, lastSeenAtMs } = person
  return { name, role, state: stateOfPerson(person, nowMs), createdAtMs, lastSeenAtMs: lastSeenAtMs ?? null }
}

function toRefusal(error: unknown): never {
  if (!(error instanceof RangeError)) throw error
  throw new OfficeRefusal(400, 'invalid', `Nobody was invited: ${error.message}.`)
}
