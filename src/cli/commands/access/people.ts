/** `pets people`: who may use the office. A running service sees the change at once. */
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

interface LinkOptions {
  readonly database: string
  readonly office?: string | undefined
  readonly json?: true | undefined
}

/** That of `npm start`. */
const DEFAULT_OFFICE_URL = 'http://127.0.0.1:8081'
const ONE_OBJECT = 'one JSON object'

export const people = group('Invite, list and revoke the people who may use the office.', {
  invite: command({
    about: 'Invite a person. The printed link works once within 24 hours.',
    examples: [
      'pets people invite NAME --role staff',
      'pets people invite NAME --role manager --office https://office.example',
    ],
    takes: (command) =>
      command
        .argument('<name>', 'the name to sign in with')
        .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
        .addOption(officeUrlOption()),
    creates: true,
    json: ONE_OBJECT,
    action(run, name, options) {
      namingOf(name) // before the database is made
      const invite = async (inviter: Issuer) => (await invitePerson(inviter, { name, role: options.role })).invitation
      return giveLink(run, options, 'Nobody was invited', invite).catch((error: unknown) => {
        if (!(error instanceof NameRefused)) throw error
        const instead = 'Or give a new link with `pets people reset`, or another role with `pets people role`.'
        throw new CommandFailed(`${error.message} ${instead}`)
      })
    },
  }),

  list: command({
    about: 'Show who may use the office.',
    examples: ['pets people list'],
    json: 'one JSON object a line',
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
    action: (run, name, options) =>
      giveLink(
        run,
        options,
        'Nothing was changed',
        async (inviter) => assertThere(await resetPassphrase(inviter, name)).invitation,
      ),
  }),

  role: command({
    about: 'Change the role of a person, and end their sessions.',
    examples: ['pets people role NAME manager'],
    takes: (command) => withName(command).addArgument(new Argument('<role>', 'what the person may do').choices(ROLES)),
    json: ONE_OBJECT,
    action: (run, name, to) =>
      warnWithoutOperator(run, async (store) => {
        const outcome = await changeRole(store, name, to, run.cli.author())
        assertThere(outcome === 'nobody' ? undefined : outcome)
        const sentence = outcome === 'changed' ? `is ${to} now.` : `is ${to} already; nothing was changed.`
        return { json: { name, role: to }, text: `${printable(name)} ${sentence}\n` }
      }),
  }),

  rename: command({
    about: 'Rename a person. The journal keeps the former name, which no one else can have.',
    examples: ["pets people rename root 'Ana Ruiz'"],
    takes: (command) => withName(command).argument('<new-name>', 'the name to sign in with from now on'),
    json: ONE_OBJECT,
    async action({ cli, open }, name, to) {
      const now = assertThere(await renamePerson(await open(), name, to, cli.author()))
      return { json: { name: now }, text: `${printable(name)} is ${printable(now)} now.\n` }
    },
  }),

  'free-name': command({
    about: 'Free a former name, so that another person can have it.',
    examples: ["pets people free-name 'Ana Ruiz'"],
    takes: withName,
    json: ONE_OBJECT,
    async action({ cli, open }, name) {
      if (!(await freeName(await open(), name, cli.author())))
        throw new CommandFailed(`${printable(name)} is not a former name.`)
      return { json: { name, freed: true }, text: `${printable(name)} is free.\n` }
    },
  }),

  'sign-out': command({
    about: 'End the sessions of a person, who can sign in again.',
    examples: ['pets people sign-out NAME'],
    takes: withName,
    json: ONE_OBJECT,
    async action({ cli, open }, name) {
      assertThere((await signOutEverywhere(await open(), name, cli.author())) || undefined)
      return { json: { name, signedOut: true }, text: `${printable(name)} is signed out everywhere.\n` }
    },
  }),

  revoke: command({
    about: 'End the access and the sessions of a person. `pets people reset` restores the access.',
    examples: ['pets people revoke NAME'],
    takes: withName,
    json: ONE_OBJECT,
    action: (run, name) =>
      warnWithoutOperator(run, async (store) => {
        const was = (await findPerson(store, name))?.revokedAtMs
        assertThere((await revokePerson(store, name, run.cli.author())) || undefined)
        const sentence = was === undefined ? 'is revoked.' : 'was revoked already.'
        return { json: { name, state: 'revoked' }, text: `${printable(name)} ${sentence}\n` }
      }),
  }),
})

function officeUrlOption() {
  const about = 'base address of the office as people see it (default: the one of the running service)'
  return new Option('--office <url>', about).argParser(officeUrl)
}

function withName(command: typed.Command) {
  return command.argument('<name>', 'the name, as `pets people list` shows it')
}

function assertThere<T>(value: T | undefined): T {
  if (value !== undefined) return value
  throw new CommandFailed(`${NOBODY}; \`pets people list\` shows who there is.`)
}

/** `nothing` begins the message that says why there is no link. */
async function giveLink(
  run: Run,
  options: LinkOptions,
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
    // A link that nobody has seen can stay: the next one replaces it.
    undo: async ({ name }) => `The link was not seen; \`pets people reset\` gives ${printable(name)} another one.`,
  })
  if (options.json) return
  cli.hint(`${printable(name)} may use it once, until ${toIso(endsAtMs)}, as ${role}; it is shown only now.\n`)
  if (at !== undefined) return
  const leads = 'the link leads to where `npm start` has it; if it is elsewhere, name that with --office'
  cli.hint(`No running service says where its office is, so ${leads}.\n`)
}

/** In the office nobody ends their own access, so the last operator stays; here they can go. */
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
  cli.hint('Nobody is an operator any more; `pets people invite NAME --role operator` makes one.\n')
}
