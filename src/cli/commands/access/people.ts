/** `pets people`: who may use the office. A running service sees the change at once. */
import { randomBytes } from 'node:crypto'
import { Argument, Command, Option } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import { systemClock } from '../../../common/system-clock.ts'
import {
  changeRole,
  type Inviter,
  type IssuedInvitation,
  invitationLink,
  invitePerson,
  NameTaken,
  resetPassphrase,
  revokePerson,
  signOutEverywhere,
  stateOfPerson,
} from '../../../domain/people.ts'
import { newPersonName } from '../../../domain/person-names.ts'
import { runningService } from '../../../store/open.ts'
import type { PersonRecord } from '../../../store/people.ts'
import { ROLES, type Role } from '../../../store/rules/roles.ts'
import { type Store, StoreUnavailable } from '../../../store/store.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption, officeUrl, option } from '../../options.ts'
import { hint, print } from '../../output.ts'
import { author, createOption, withNewStore, withStore } from '../../store.ts'
import { tableOf, toIso, toMinute } from '../../table.ts'

interface Common {
  readonly database: string
  readonly json?: true
}

interface LinkOptions extends Common {
  readonly officeUrl?: string
}

interface InviteOptions extends LinkOptions {
  readonly role: Role
}

/** That of `npm start`. */
const USUAL_OFFICE = 'http://127.0.0.1:8081'
const NOBODY = 'There is nobody of this name; `pets people list` shows who there is.'
/** In the office nobody ends their own access, so the last operator stays; here they can go. */
const NO_OPERATOR = 'Nobody is an operator any more; `pets people invite NAME --role operator` makes one.\n'
const NAME_THERE = 'the name, as `pets people list` shows it'

function officeUrlOption(): Option {
  return option(
    '--office-url <url>',
    'base address of the office as people see it (default: that of the running service)',
  ).argParser(officeUrl)
}

const invite = new Command('invite')
  .description('Print a link, for one use within 24 hours, on which somebody new chooses a passphrase.')
  .addHelpText(
    'after',
    examples(
      'pets people invite NAME --role staff',
      'pets people invite NAME --role manager --office-url https://office.example',
    ),
  )
  .argument('<name>', 'the name to sign in with')
  .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
  .addOption(officeUrlOption())
  .addOption(databaseOption())
  .addOption(createOption())
  .option('--json', 'one JSON object')
  .action((name: string, options: InviteOptions, command: Command) => {
    const found = newPersonName(name)
    if ('refusal' in found) command.error(`error: this cannot be a name: ${found.refusal}.`)
    return withNewStore(options, command, (store) =>
      giveLink(store, options, 'Nobody was invited', async (inviter) => {
        const made = await invitePerson(inviter, { name, role: options.role }).catch((error: unknown) => {
          if (!(error instanceof NameTaken)) throw error
          const instead = `\`pets people reset\` gives a new link, and \`pets people role\` another role`
          throw new CommandFailed(`Nobody was invited: ${error.message}; ${instead}.`)
        })
        return made.invited
      }),
    )
  })

const reset = new Command('reset')
  .description(
    'Print a link, for one use within 24 hours, on which somebody who is there chooses another passphrase, or comes back after a revocation. The role stays; the sessions end when it is used.',
  )
  .addHelpText('after', examples('pets people reset NAME'))
  .argument('<name>', NAME_THERE)
  .addOption(officeUrlOption())
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((name: string, options: LinkOptions) =>
    withStore(options, (store) =>
      giveLink(store, options, 'Nothing was changed', async (inviter) => {
        const made = await resetPassphrase(inviter, name)
        if (made === undefined) throw new CommandFailed(NOBODY)
        return made.invited
      }),
    ),
  )

/** Shows the link before `make` stores it. `nothing` begins the message that says why there is none. */
async function giveLink(
  store: Store,
  options: LinkOptions,
  nothing: string,
  make: (inviter: Inviter) => Promise<IssuedInvitation>,
): Promise<void> {
  let isShown = false
  const at = options.officeUrl ?? (await runningOffice(options.database))
  const show = async (invited: IssuedInvitation) => {
    await print(shown(invited, at ?? USUAL_OFFICE, options)).catch((error: Error) => {
      throw new CommandFailed(`${nothing}. ${error.message}`)
    })
    isShown = true
  }
  const inviter = { store, clock: systemClock, randomBytes, who: author().who, show }
  const { name, role, endsAtMs } = await make(inviter).catch((error: Error) => {
    if (!isShown || !(error instanceof StoreUnavailable || error instanceof CommandFailed)) throw error
    throw new CommandFailed(`The link shown was not stored and does not work. ${error.message}`)
  })
  if (options.json) return
  hint(`${printable(name)} may use it once, until ${toIso(endsAtMs)}, as ${role}; it is shown only now.\n`)
  if (at !== undefined) return
  hint(
    'No running service says where its office is, so the link leads to where `npm start` has it; if it is elsewhere, name that with --office-url.\n',
  )
}

/** Where the service on this machine has its office, as people see it. */
async function runningOffice(database: string): Promise<string | undefined> {
  return (await runningService(database))?.officeUrl
}

const list = new Command('list')
  .description('Show who may use the office.')
  .addHelpText('after', examples('pets people list'))
  .addOption(databaseOption())
  .option('--json', 'one JSON object a line')
  .action((options: Common) =>
    withStore(options, async (store) => {
      const people = await store.people.list()
      if (people.length === 0) {
        hint('There is nobody yet; invite somebody with `pets people invite NAME --role operator`.\n')
      } else if (options.json) await print(people.map((person) => `${printableJson(toJson(person))}\n`).join(''))
      else await print(tableOf(['NAME', 'ROLE', 'STATE', 'INVITED', 'LAST SEEN'])(people.map(toCells)))
    }),
  )

const role = new Command('role')
  .description('Give somebody another role. It holds at once, and the sessions end; the passphrase stays.')
  .addHelpText('after', examples('pets people role NAME manager'))
  .argument('<name>', NAME_THERE)
  .addArgument(new Argument('<role>', 'what the person may do').choices(ROLES))
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((name: string, to: Role, options: Common) =>
    withStore(options, async (store) => {
      const had = await hasOperator(store)
      const outcome = await changeRole(store, name, to, author())
      if (outcome === 'nobody') throw new CommandFailed(NOBODY)
      const told = outcome === 'changed' ? `is ${to} now.` : `is ${to} already; nothing was changed.`
      await print(options.json ? `${printableJson({ name, role: to })}\n` : `${printable(name)} ${told}\n`)
      if (had && !(await hasOperator(store))) hint(NO_OPERATOR)
    }),
  )

const signOut = new Command('sign-out')
  .description(
    "End a person's sessions, and what is under way in them, at once. The person signs in again with the same passphrase.",
  )
  .addHelpText('after', examples('pets people sign-out NAME'))
  .argument('<name>', NAME_THERE)
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((name: string, options: Common) =>
    withStore(options, async (store) => {
      if (!(await signOutEverywhere(store, name, author()))) throw new CommandFailed(NOBODY)
      const told = `${printable(name)} is signed out everywhere.\n`
      await print(options.json ? `${printableJson({ name, signedOut: true })}\n` : told)
    }),
  )

const revoke = new Command('revoke')
  .description(
    "End a person's access, sessions and what is under way in them at once; `pets people reset` lets the person back in.",
  )
  .addHelpText('after', examples('pets people revoke NAME'))
  .argument('<name>', NAME_THERE)
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((name: string, options: Common) =>
    withStore(options, async (store) => {
      const had = await hasOperator(store)
      if (!(await revokePerson(store, name, author()))) throw new CommandFailed(NOBODY)
      await print(options.json ? `${printableJson({ name, state: 'revoked' })}\n` : `${printable(name)} is revoked.\n`)
      if (had && !(await hasOperator(store))) hint(NO_OPERATOR)
    }),
  )

async function hasOperator({ people }: Store): Promise<boolean> {
  return (await people.list()).some(({ role, revokedAtMs }) => role === 'operator' && revokedAtMs === undefined)
}

export const people = new Command('people')
  .description('Invite, list and revoke the people who may use the office.')
  .addCommand(invite)
  .addCommand(list)
  .addCommand(reset)
  .addCommand(role)
  .addCommand(signOut)
  .addCommand(revoke)

function shown({ name, role, secret, endsAtMs }: IssuedInvitation, officeUrl: string, { json }: Common): string {
  const link = invitationLink(officeUrl, secret)
  return json ? `${printableJson({ name, role, link, endsAt: toIso(endsAtMs) })}\n` : `${link}\n`
}

function toJson(person: PersonRecord) {
  const { name, role, createdAtMs, lastSeenAtMs } = person
  const times = { createdAt: toIso(createdAtMs), lastSeenAt: toIso(lastSeenAtMs) }
  return { name, role, state: stateOfPerson(person, systemClock.now()), ...times }
}

function toCells(person: PersonRecord): string[] {
  const { name, role, createdAtMs, lastSeenAtMs } = person
  return [
    printable(name),
    role,
    stateOfPerson(person, systemClock.now()),
    toMinute(createdAtMs),
    toMinute(lastSeenAtMs),
  ]
}
