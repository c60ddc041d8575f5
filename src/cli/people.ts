/** `pets people`: who may use the office. A running service sees the change at once. */
import { randomBytes } from 'node:crypto'
import { Command, Option } from 'commander'
import { printable, printableJson } from '../common/printable.ts'
import {
  type IssuedInvitation,
  invitationLink,
  invitePerson,
  NAME_RULE,
  personName,
  revokePerson,
  stateOfPerson,
} from '../domain/people.ts'
import { type PersonRecord, ROLES, type Role } from '../store/people.ts'
import { StoreUnavailable } from '../store/store.ts'
import { CommandFailed, databaseOption, officeUrl, option } from './options.ts'
import { note, print } from './output.ts'
import { author, createOption, withNewStore, withStore } from './store.ts'
import { tableOf, toIso, toMinute } from './table.ts'

interface Common {
  readonly database: string
  readonly json?: true
}

interface InviteOptions extends Common {
  readonly role: Role
  readonly officeUrl: string
}

const invite = new Command('invite')
  .description(
    'Print a link, for one use within 24 hours, on which somebody chooses a passphrase. Invite a person again to change the role, or when the passphrase is forgotten.',
  )
  .argument('<name>', 'the name to sign in with')
  .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
  .addOption(
    option('--office-url <url>', 'base address of the office as people see it')
      .default('http://127.0.0.1:8081')
      .argParser(officeUrl),
  )
  .addOption(databaseOption())
  .addOption(createOption())
  .option('--json', 'one JSON object')
  .action((name: string, options: InviteOptions, command: Command) => {
    if (personName(name) === undefined) command.error(`error: this cannot be a name: ${NAME_RULE}.`)
    return withNewStore(options, command, async (store) => {
      let isShown = false
      const show = async (invited: IssuedInvitation) => {
        await print(shown(invited, options)).catch((error: Error) => {
          throw new CommandFailed(`Nobody was invited. ${error.message}`)
        })
        isShown = true
      }
      const inviter = { store, clock: Date.now, randomBytes, who: author().who, show }
      const { invited } = await invitePerson(inviter, { name, role: options.role }).catch((error: unknown) => {
        if (error instanceof RangeError) throw new CommandFailed(`Nobody was invited: ${error.message}.`)
        if (!(error instanceof StoreUnavailable) || !isShown) throw error
        throw new CommandFailed(`The invitation shown was not stored and does not work: ${error.message}`)
      })
      if (options.json) return
      note(
        `${invited.name} may use it once, until ${toIso(invited.endsAtMs)}, as ${invited.role}; it is shown only now.\n`,
      )
    })
  })

const list = new Command('list')
  .description('Show who may use the office.')
  .addOption(databaseOption())
  .option('--json', 'one JSON object a line')
  .action((options: Common) =>
    withStore(options, async (store) => {
      const people = await store.people.list()
      if (people.length === 0) {
        note('There is nobody yet; invite somebody with `pets people invite NAME --role operator`.\n')
      } else if (options.json) await print(people.map((person) => `${printableJson(describe(person))}\n`).join(''))
      else await print(tableOf(['NAME', 'ROLE', 'STATE', 'INVITED', 'LAST SEEN'])(people.map(toCells)))
    }),
  )

const revoke = new Command('revoke')
  .description("End a person's access and sessions at once; an invitation lets the person back in.")
  .argument('<name>', 'the name, as `pets people list` shows it')
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((name: string, options: Common) =>
    withStore(options, async (store) => {
      const known = personName(name)
      if (known === undefined || !(await revokePerson(store, known, author()))) {
        throw new CommandFailed(`There is nobody of this name; \`pets people list\` shows who there is.`)
      }
      await print(
        options.json ? `${printableJson({ name: known, state: 'revoked' })}\n` : `${printable(known)} is revoked.\n`,
      )
    }),
  )

export const people = new Command('people')
  .description('Invite, list and revoke the people who may use the office.')
  .addCommand(invite)
  .addCommand(list)
  .addCommand(revoke)

function shown({ name, role, secret, endsAtMs }: IssuedInvitation, { officeUrl, json }: InviteOptions): string {
  const link = invitationLink(officeUrl, secret)
  return json ? `${printableJson({ name, role, link, endsAt: toIso(endsAtMs) })}\n` : `${link}\n`
}

function describe(person: PersonRecord) {
  const { name, role, createdAtMs, lastSeenAtMs } = person
  const times = { createdAt: toIso(createdAtMs), lastSeenAt: toIso(lastSeenAtMs) }
  return { name, role, state: stateOfPerson(person, Date.now()), ...times }
}

function toCells(person: PersonRecord): string[] {
  const { name, role, createdAtMs, lastSeenAtMs } = person
  return [printable(name), role, stateOfPerson(person, Date.now()), toMinute(createdAtMs), toMinute(lastSeenAtMs)]
}
