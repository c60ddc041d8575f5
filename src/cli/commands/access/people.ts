/** `pets people`: the people who can use the office. */
import { randomBytes } from 'node:crypto'
import type * as typed from '@commander-js/extra-typings'
import { printable, printableJson } from '../../../common/printable.ts'
import type { Issuer } from '../../../domain/keys.ts'
import {
  changeRole,
  findPerson,
  freeName,
  type IssuedInvitation,
  invitationLink,
  invitePerson,
  NameRefused,
  NOBODY,
  namingOf,
  renamePerson,
  resetPassphrase,
  revokePerson,
  signOutEverywhere,
} from '../../../domain/people.ts'
import { stateOfPerson } from '../../../rules/people.ts'
import { ROLES } from '../../../rules/roles.ts'
import { runningService } from '../../../store/open.ts'
import type { Store } from '../../../store/store.ts'
import { command, group, type Run, rowsOf } from '../../command.ts'
import { Argument, CommandFailed, Option, officeUrl } from '../../options.ts'
import { serviceSettings } from '../../settings.ts'
import { makeAndShow } from '../../store.ts'
import { toIso } from '../../table.ts'

const DEFAULT_OFFICE_URL = 'http://127.0.0.1:8081'
const ONE_OBJECT = 'output as one JSON object'
const ROLE = 'role, which decides what the person can do'

export const people = group('Invite, list and revoke the people who can use the office.', {
  invite: command({
    about: 'Invite a person. The printed link works once within 24 hours.',
    examples: [
      'pets people invite NAME --role staff',
      'pets people invite NAME --role manager --office https://office.example',
    ],
    takes: (command) =>
      command
        .argument('<name>', 'name to sign in with')
        .addOption(new Option('--role <role>', ROLE).choices(ROLES).makeOptionMandatory())
        .addOption(officeUrlOption()),
    creates: true,
    json: ONE_OBJECT,
    action(run, name, options) {
      namingOf(name) // before the database is made
      const invite = async (inviter: Issuer) => (await invitePerson(inviter, { name, role: options.role })).invitation
      return giveLink(run, options, 'Nobody was invited', invite).catch((error: unknown) => {
        if (!(error instanceof NameRefused)) throw error
        const instead = 'To create a new link, use `pets people reset`; to change the role, `pets people role`.'
        throw new CommandFailed(`${error.message} ${instead}`)
      })
    },
  }),

  list: command({
    about: 'List the people who can use the office.',
    examples: ['pets people list'],
    json: 'output as JSON, one object a line',
    async action({ cli, open }) {
      const nowMs = cli.clock.now()
      return rowsOf({
        rows: await (await open()).people.list(),
        toJson(person) {
          const { name, role } = person
          const times = { createdAt: toIso(person.createdAtMs), lastSeenAt: toIso(person.lastSeenAtMs) }
          return { name, role, state: stateOfPerson(person, nowMs), ...times }
        },
        columns: { NAME: 'name', ROLE: 'role', STATE: 'state', INVITED: 'createdAt', 'LAST SEEN': 'lastSeenAt' },
        none: 'There are no people yet. Invite the first with `pets people invite NAME --role operator`.\n',
      })
    },
  }),

  reset: command({
    about: 'Reset the passphrase of a person, revoked or not. The printed link works once within 24 hours.',
    examples: ['pets people reset NAME'],
    takes: (command) => withName(command).addOption(officeUrlOption()),
    json: ONE_OBJECT,
    action(run, name, options) {
      const reset = async (inviter: Issuer) => assertThere(await resetPassphrase(inviter, name)).invitation
      return giveLink(run, options, 'Nothing was changed', reset)
    },
  }),

  role: command({
    about: 'Change the role of a person, and end their sessions.',
    examples: ['pets people role NAME manager'],
    takes: (command) => withName(command).addArgument(new Argument('<role>', ROLE).choices(ROLES)),
    json: ONE_OBJECT,
    action: (run, name, to) =>
      warnWithoutOperator(run, async (store) => {
        const outcome = await changeRole(store, name, to, run.cli.author())
        assertThere(outcome === 'nobody' ? undefined : outcome)
        const sentence = outcome === 'changed' ? `is now ${to}.` : `already is ${to}. Nothing was changed.`
        return { json: { name, role: to }, text: `${printable(name)} ${sentence}\n` }
      }),
  }),

  rename: command({
    about: 'Rename a person. The journal keeps the former name, which no one else can take.',
    examples: ["pets people rename root 'Ana Ruiz'"],
    takes: (command) => withName(command).argument('<new-name>', 'name to sign in with from now on'),
    json: ONE_OBJECT,
    async action({ cli, open }, name, to) {
      const now = assertThere(await renamePerson(await open(), name, to, cli.author()))
      return { json: { name: now }, text: `${printable(name)} is now ${printable(now)}.\n` }
    },
  }),

  'free-name': command({
    about: 'Free a former name, so that another person can take it.',
    examples: ["pets people free-name 'Ana Ruiz'"],
    takes: withName,
    json: ONE_OBJECT,
    async action({ cli, open }, name) {
      if (!(await freeName(await open(), name, cli.author())))
        throw new CommandFailed(`${printable(name)} is not a former name.`)
      return { json: { name, freed: true }, text: `${printable(name)} was freed.\n` }
    },
  }),

  'sign-out': command({
    about: 'Sign a person out everywhere. They can sign in again.',
    examples: ['pets people sign-out NAME'],
    takes: withName,
    json: ONE_OBJECT,
    async action({ cli, open }, name) {
      assertThere((await signOutEverywhere(await open(), name, cli.author())) || undefined)
      return { json: { name, signedOut: true }, text: `${printable(name)} was signed out everywhere.\n` }
    },
  }),

  revoke: command({
    about: 'Revoke the access of a person and end their sessions. `pets people reset` restores the access.',
    examples: ['pets people revoke NAME'],
    takes: withName,
    json: ONE_OBJECT,
    action: (run, name) =>
      warnWithoutOperator(run, async (store) => {
        const was = (await findPerson(store, name))?.revokedAtMs
        assertThere((await revokePerson(store, name, run.cli.author())) || undefined)
        const sentence = was === undefined ? 'was revoked.' : 'was already revoked.'
        return { json: { name, state: 'revoked' }, text: `${printable(name)} ${sentence}\n` }
      }),
  }),
})

function officeUrlOption() {
  const about = 'base address of the office as people see it (default: that of the running service)'
  return new Option('--office <url>', about).argParser(officeUrl)
}

function withName(command: typed.Command) {
  return command.argument('<name>', 'name of the person, as `pets people list` shows it')
}

function assertThere<T>(value: T | undefined): T {
  if (value !== undefined) return value
  throw new CommandFailed(`${NOBODY}. \`pets people list\` lists the people.`)
}

/** `nothing` begins the message if there is no link. */
async function giveLink(
  run: Run,
  options: { readonly database: string; readonly office?: string | undefined; readonly json?: true | undefined },
  nothing: string,
  make: (inviter: Issuer) => Promise<IssuedInvitation>,
): Promise<void> {
  const { cli } = run
  const running = await runningService(cli.databaseUrl(options.database))
  const at = options.office ?? running?.officeUrl ?? serviceSettings(cli).officeUrl
  const { name, role, endsAtMs } = await makeAndShow(run, nothing, {
    make: (store) => make({ store, clock: cli.clock, randomBytes, who: cli.author().who }),
    lineOf({ name, role, secret, endsAtMs }) {
      const link = invitationLink(at ?? DEFAULT_OFFICE_URL, secret)
      return options.json ? printableJson({ name, role, link, endsAt: toIso(endsAtMs) }) : link
    },
    // An unseen link can stay, because the next one replaces it.
    undo: async ({ name }) =>
      `The link was not shown. \`pets people reset\` creates another one for ${printable(name)}.`,
  })
  if (options.json) return
  cli.hint(`${printable(name)} can use it once, until ${toIso(endsAtMs)}, as ${role}. It is shown only now.\n`)
  if (at !== undefined) return
  const instead =
    'so the link uses the default of `npm start`. If the office is elsewhere, give its address with --office'
  cli.hint(`No running service reports the address of its office, ${instead}.\n`)
}

/** Only the command can revoke the last operator. */
async function warnWithoutOperator(
  { cli, open, show }: Run,
  change: (store: Store) => Promise<Parameters<Run['show']>[0]>,
): Promise<void> {
  const store = await open()
  const hasOperator = async () =>
    (await store.people.list()).some(({ role, revokedAtMs }) => role === 'operator' && revokedAtMs === undefined)
  const had = await hasOperator()
  await show(await change(store))
  if (!had || (await hasOperator())) return
  cli.hint('No operator is left. Invite one with `pets people invite NAME --role operator`.\n')
}
