/** `pets people`: who may use the office. A running service sees the change at once. */
import { randomBytes } from 'node:crypto'
import type * as typed from '@commander-js/extra-typings'
import { Command } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import type { Issuer } from '../../../domain/keys.ts'
import {
  changeRole,
  findPerson,
  type IssuedInvitation,
  invitationLink,
  invitePerson,
  NameTaken,
  renamePerson,
  resetPassphrase,
  revokePerson,
  signOutEverywhere,
  stateOfPerson,
} from '../../../domain/people.ts'
import { newPersonName } from '../../../domain/person-names.ts'
import { runningService } from '../../../store/open.ts'
import { ROLES } from '../../../store/people.ts'
import type { Store } from '../../../store/store.ts'
import type { Cli } from '../../cli.ts'
import { databaseCommand, printRows, storeCommand } from '../../command.ts'
import { Argument, CommandFailed, Option, officeUrl, option } from '../../options.ts'
import { serviceSettings } from '../../settings.ts'
import { makeAndShow } from '../../store.ts'
import { toIso } from '../../table.ts'

interface LinkOptions {
  readonly database: string
  readonly officeUrl?: string | undefined
  readonly json?: true | undefined
}

/** That of `npm start`. */
const DEFAULT_OFFICE_URL = 'http://127.0.0.1:8081'
const NOBODY = 'There is nobody of this name; `pets people list` shows who there is.'
/** In the office nobody ends their own access, so the last operator stays; here they can go. */
const NO_OPERATOR = 'Nobody is an operator any more; `pets people invite NAME --role operator` makes one.\n'

export function people(cli: Cli): Command {
  return new Command('people')
    .description('Invite, list and revoke the people who may use the office.')
    .addCommand(invite(cli))
    .addCommand(list(cli), { isDefault: true })
    .addCommand(reset(cli))
    .addCommand(role(cli))
    .addCommand(rename(cli))
    .addCommand(signOut(cli))
    .addCommand(revoke(cli))
}

function officeUrlOption() {
  const about = 'base address of the office as people see it (default: that of the running service)'
  return option('--office-url <url>', about, officeUrl)
}

function withName(command: typed.Command) {
  return command.argument('<name>', 'the name, as `pets people list` shows it')
}

function invite(cli: Cli): Command {
  return databaseCommand(cli, 'invite', {
    about: 'Print a link, for one use within 24 hours, on which somebody new chooses a passphrase.',
    examples: [
      'pets people invite NAME --role staff',
      'pets people invite NAME --role manager --office-url https://office.example',
    ],
    takes: (command) =>
      command
        .argument('<name>', 'the name to sign in with')
        .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
        .addOption(officeUrlOption()),
    creates: true,
    json: 'one JSON object',
    action: async ({ command, withStore }, name, options) => {
      const found = newPersonName(name)
      if ('refusal' in found) command.error(`error: this cannot be a name: ${found.refusal}.`)
      await withStore((store) =>
        giveLink(cli, store, options, 'Nobody was invited', async (inviter) => {
          const invitation = await invitePerson(inviter, { name, role: options.role }).catch((error: unknown) => {
            if (!(error instanceof NameTaken)) throw error
            const instead = `\`pets people reset\` gives a new link, and \`pets people role\` another role`
            throw new CommandFailed(`Nobody was invited: ${error.message}; ${instead}.`)
          })
          return invitation.invited
        }),
      )
    },
  })
}

function reset(cli: Cli): Command {
  return storeCommand(cli, 'reset', {
    about:
      'Print a link, for one use within 24 hours, on which somebody who is there chooses another passphrase, or comes back after a revocation. The role stays; the sessions end when it is used.',
    examples: ['pets people reset NAME'],
    takes: (command) => withName(command).addOption(officeUrlOption()),
    json: 'one JSON object',
    action: ({ store }, name, options) =>
      giveLink(cli, store, options, 'Nothing was changed', async (inviter) => {
        const link = await resetPassphrase(inviter, name)
        if (link === undefined) throw new CommandFailed(NOBODY)
        return link.invited
      }),
  })
}

/** `nothing` begins the message that says why there is no link. */
async function giveLink(
  cli: Cli,
  store: Store,
  options: LinkOptions,
  nothing: string,
  make: (inviter: Issuer) => Promise<IssuedInvitation>,
): Promise<void> {
  const running = await runningService(cli.databaseUrl(options.database))
  const at = options.officeUrl ?? running?.officeUrl ?? serviceSettings(cli, undefined).officeUrl
  const inviter = { store, clock: cli.clock, randomBytes, who: cli.author().who }
  const { name, role, endsAtMs } = await makeAndShow(cli, nothing, () => make(inviter), {
    lineOf: (invited) => shown(invited, at ?? DEFAULT_OFFICE_URL, options),
    // A link that nobody has seen can stay: the next one replaces it.
    undo: async ({ name }) => `The link was not seen; \`pets people reset\` gives ${printable(name)} another one.`,
  })
  if (options.json) return
  cli.hint(`${printable(name)} may use it once, until ${toIso(endsAtMs)}, as ${role}; it is shown only now.\n`)
  if (at !== undefined) return
  const leads = 'the link leads to where `npm start` has it; if it is elsewhere, name that with --office-url'
  cli.hint(`No running service says where its office is, so ${leads}.\n`)
}

function list(cli: Cli): Command {
  return storeCommand(cli, 'list', {
    about: 'Show who may use the office.',
    examples: ['pets people list'],
    json: 'one JSON object a line',
    action: async ({ store }, { json }) => {
      const nowMs = cli.clock.now()
      await printRows(cli, {
        rows: await store.people.list(),
        json,
        toJson: (person) => {
          const { name, role } = person
          const times = { createdAt: toIso(person.createdAtMs), lastSeenAt: toIso(person.lastSeenAtMs) }
          return { name, role, state: stateOfPerson(person, nowMs), ...times }
        },
        columns: { NAME: 'name', ROLE: 'role', STATE: 'state', INVITED: 'createdAt', 'LAST SEEN': 'lastSeenAt' },
        none: 'There is nobody yet; invite somebody with `pets people invite NAME --role operator`.\n',
      })
    },
  })
}

function role(cli: Cli): Command {
  return storeCommand(cli, 'role', {
    about: 'Give somebody another role. It holds at once, and the sessions end; the passphrase stays.',
    examples: ['pets people role NAME manager'],
    takes: (command) => withName(command).addArgument(new Argument('<role>', 'what the person may do').choices(ROLES)),
    json: 'one JSON object',
    action: async ({ store }, name, to, { json }) => {
      const had = await hasOperator(store)
      const outcome = await changeRole(store, name, to, cli.author())
      if (outcome === 'nobody') throw new CommandFailed(NOBODY)
      const sentence = outcome === 'changed' ? `is ${to} now.` : `is ${to} already; nothing was changed.`
      await cli.print(json ? `${printableJson({ name, role: to })}\n` : `${printable(name)} ${sentence}\n`)
      if (had && !(await hasOperator(store))) cli.hint(NO_OPERATOR)
    },
  })
}

function rename(cli: Cli): Command {
  return storeCommand(cli, 'rename', {
    about: 'Give somebody another name. What was done before keeps the former one, which nobody else gets.',
    examples: ["pets people rename root 'Ana Ruiz'"],
    takes: (command) => withName(command).argument('<new-name>', 'the name to sign in with from now on'),
    json: 'one JSON object',
    action: async ({ store, command }, name, to, { json }) => {
      const found = newPersonName(to)
      if ('refusal' in found) command.error(`error: this cannot be a name: ${found.refusal}.`)
      const now = await renamePerson(store, name, to, cli.author()).catch((error: unknown) => {
        if (error instanceof NameTaken) throw new CommandFailed(`Nobody was renamed: ${error.message}.`)
        throw error
      })
      if (now === undefined) throw new CommandFailed(NOBODY)
      await cli.print(json ? `${printableJson({ name: now })}\n` : `${printable(name)} is ${printable(now)} now.\n`)
    },
  })
}

function signOut(cli: Cli): Command {
  return storeCommand(cli, 'sign-out', {
    about:
      "End a person's sessions, and what is under way in them, at once. The person signs in again with the same passphrase.",
    examples: ['pets people sign-out NAME'],
    takes: withName,
    json: 'one JSON object',
    action: async ({ store }, name, { json }) => {
      if (!(await signOutEverywhere(store, name, cli.author()))) throw new CommandFailed(NOBODY)
      const sentence = `${printable(name)} is signed out everywhere.\n`
      await cli.print(json ? `${printableJson({ name, signedOut: true })}\n` : sentence)
    },
  })
}

function revoke(cli: Cli): Command {
  return storeCommand(cli, 'revoke', {
    about:
      "End a person's access, sessions and what is under way in them at once; `pets people reset` lets the person back in.",
    examples: ['pets people revoke NAME'],
    takes: withName,
    json: 'one JSON object',
    action: async ({ store }, name, { json }) => {
      const had = await hasOperator(store)
      const was = (await findPerson(store, name))?.revokedAtMs
      if (!(await revokePerson(store, name, cli.author()))) throw new CommandFailed(NOBODY)
      const sentence = was === undefined ? 'is revoked.' : 'was revoked already.'
      await cli.print(json ? `${printableJson({ name, state: 'revoked' })}\n` : `${printable(name)} ${sentence}\n`)
      if (had && !(await hasOperator(store))) cli.hint(NO_OPERATOR)
    },
  })
}

async function hasOperator({ people }: Store): Promise<boolean> {
  return (await people.list()).some(({ role, revokedAtMs }) => role === 'operator' && revokedAtMs === undefined)
}

function shown({ name, role, secret, endsAtMs }: IssuedInvitation, officeUrl: string, { json }: LinkOptions): string {
  const link = invitationLink(officeUrl, secret)
  return json ? printableJson({ name, role, link, endsAt: toIso(endsAtMs) }) : link
}
