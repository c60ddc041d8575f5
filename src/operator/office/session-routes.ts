/** Signing in and out, and accepting an invitation. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isPassphrase, PASSPHRASE_RULE } from '../../domain/passphrases.ts'
import type { BegunSession, SignIn } from '../../domain/sign-in.ts'
import type { Acceptance, Invited, Session, SignIn as SignInBody } from '../office-data.ts'
import { toWait } from './guard.ts'
import { type OfficeOptions, OfficeRefusal } from './routes.ts'

/** Somebody who is not signed in may send so many bytes. */
const BODY_LIMIT = 8_192

const text = { type: 'string' } as const
const bodyOf = (...members: readonly string[]) => ({
  schema: {
    body: { type: 'object', required: members, properties: Object.fromEntries(members.map((name) => [name, text])) },
  },
})
const FOR_ANYONE = { config: { role: 'anyone' }, bodyLimit: BODY_LIMIT } as const

export function addSessionRoutes(server: FastifyInstance, options: OfficeOptions, signIn: SignIn): void {
  const { guard } = server
  const describe = ({ person, token, endsAtMs }: BegunSession): Session => ({
    ...{ name: person.name, role: person.role, token, endsAtMs },
    baseUrl: options.baseUrl,
  })
  const begin = (reply: FastifyReply, session: BegunSession): Session => {
    guard.setCookie(reply, session)
    return describe(session)
  }

  server.post<{ Body: SignInBody }>(
    '/api/session',
    { ...FOR_ANYONE, ...bodyOf('name', 'passphrase') },
    async (request, reply) => {
      const { name, passphrase } = request.body
      const found = await signIn.signIn(name, passphrase, guard.addressOf(request))
      if (found === 'refused') throw new OfficeRefusal(401, 'refused', 'The name or the passphrase is wrong.')
      if ('waitMs' in found) throw toWait(found)
      return begin(reply, found)
    },
  )

  server.get('/api/session', { config: { role: 'staff' } }, ({ session }) => session && describe(session))

  server.delete('/api/session', { config: { role: 'staff' } }, async ({ session }, reply) => {
    if (session !== undefined) await signIn.end(session)
    guard.clearCookie(reply)
    return reply.code(204).send()
  })

  server.post<{ Body: Pick<Acceptance, 'invitation'> }>(
    '/api/invitation/look',
    { ...FOR_ANYONE, ...bodyOf('invitation') },
    async ({ body }): Promise<Invited> => {
      const person = await signIn.invited(body.invitation)
      if (person === undefined) throw noInvitation()
      return { name: person.name, role: person.role }
    },
  )

  server.post<{ Body: Acceptance }>(
    '/api/invitation',
    { ...FOR_ANYONE, ...bodyOf('invitation', 'passphrase') },
    async ({ body: { invitation, passphrase } }, reply) => {
      if (!isPassphrase(passphrase)) throw new OfficeRefusal(400, 'invalid', `Choose another: ${PASSPHRASE_RULE}.`)
      const found = await signIn.accept(invitation, passphrase)
      if (found === undefined) throw noInvitation()
      if ('waitMs' in found) throw toWait(found)
      return begin(reply, found)
    },
  )
}

function noInvitation(): OfficeRefusal {
  return new OfficeRefusal(404, 'not_found', 'The invitation was used, replaced or is too old; ask for another one.')
}
