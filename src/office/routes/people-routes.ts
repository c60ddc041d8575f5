/** Routes for people: list, invite, reset, change role, sign out, revoke. */

import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  changeRole,
  invitationLink,
  invitePerson,
  NameRefused,
  NOBODY,
  namingOf,
  resetPassphrase,
  revokePerson,
  signOutEverywhere,
} from '../../domain/people.ts'
import { foldName } from '../../domain/person-names.ts'
import { stateOfPerson } from '../../rules/people.ts'
import type { PersonRecord } from '../../store/people.ts'
import type { Invitation, Person } from '../office-data.ts'
import { invalid, notFound, type OfficeRefusal, wrongMember } from './refusals.ts'
import { addRoute, authorOf, issuerOf, type OfficeOptions, sessionOf } from './routes.ts'

export function addPeopleRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store, clock } = options
  const list = async (): Promise<Person[]> => (await store.people.list()).map((person) => toPerson(person, clock.now()))

  addRoute(server, 'GET /api/people', list)

  addRoute(server, 'POST /api/people', async (request, reply) => {
    const { name, role, passphrase } = request.body
    namingOf(name)
    await server.guard.confirmPassphrase(request, passphrase)
    const invitation = await invitePerson(issuerOf(request, options), { name, role }).catch(adviseInstead)
    reply.code(201)
    return toInvitation(invitation, options)
  })

  addRoute(server, 'POST /api/people/:name/reset', async (request, reply) => {
    await server.guard.confirmPassphrase(request, request.body.passphrase)
    const link = await resetPassphrase(issuerOf(request, options), request.params.name)
    if (link === undefined) throw nobody()
    reply.code(201)
    return toInvitation(link, options)
  })

  addRoute(server, 'POST /api/people/:name/role', async (request) => {
    const { name } = request.params
    const { role, passphrase } = request.body
    assertOther(request, 'change your own role')
    await server.guard.confirmPassphrase(request, passphrase)
    const outcome = await changeRole(store, name, role, authorOf(request, clock))
    if (outcome === 'nobody') throw nobody()
    if (outcome === 'unchanged')
      throw wrongMember('role', `Nothing was changed: the role is already ${role}.`, [409, 'conflict'])
    return list()
  })

  addRoute(server, 'POST /api/people/:name/sign-out', async (request) => {
    assertOther(request, 'sign yourself out everywhere')
    if (!(await signOutEverywhere(store, request.params.name, authorOf(request, clock)))) throw nobody()
    return list()
  })

  addRoute(server, 'POST /api/people/:name/revoke', async (request) => {
    assertOther(request, 'revoke yourself')
    if (!(await revokePerson(store, request.params.name, authorOf(request, clock)))) throw nobody()
    return list()
  })
}

function assertOther(request: FastifyRequest<{ Params: { readonly name: string } }>, act: string): void {
  const isOwn = foldName(request.params.name) === foldName(sessionOf(request).person.name)
  if (isOwn) throw invalid(`You cannot ${act}. Another operator can.`)
}

function toInvitation(
  { invitation, person }: Awaited<ReturnType<typeof invitePerson>>,
  { clock, officeUrl }: OfficeOptions,
): Invitation {
  const link = invitationLink(officeUrl, invitation.secret)
  return { person: toPerson(person, clock.now()), link, endsAtMs: invitation.endsAtMs }
}

function toPerson(person: PersonRecord, nowMs: number): Person {
  const { name, role, createdAtMs, lastSeenAtMs = null } = person
  return { name, role, state: stateOfPerson(person, nowMs), createdAtMs, lastSeenAtMs }
}

function nobody(): OfficeRefusal {
  return notFound(`${NOBODY}.`)
}

function adviseInstead(error: unknown): never {
  if (!(error instanceof NameRefused)) throw error
  const instead = 'To reset a passphrase or change a role, use “Actions” (⋯) in the list.'
  throw wrongMember('name', `${error.message} ${instead}`, [409, 'conflict'])
}
