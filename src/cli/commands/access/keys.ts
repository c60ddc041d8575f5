/** `pets keys`: creates, lists, edits, revokes and rotates API keys (O7). */
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import type * as typed from '@commander-js/extra-typings'
import { printable, printableJson } from '../../../common/printable.ts'
import { PLAN_NAMES } from '../../../contract/plans.ts'
import {
  AlreadyRotated,
  editKey,
  type IssuedKey,
  type Issuer,
  type KeyEdit,
  makeKey,
  notBanned,
  type RotatedKey,
  rotateKey,
  storeKey,
  successorOf,
} from '../../../domain/keys.ts'
import { MAX_OVERLAP_S } from '../../../rules/keys.ts'
import { LABEL_FORM, LABEL_RULE, labelOf } from '../../../rules/labels.ts'
import type { Key } from '../../../store/rows.ts'
import type { Store } from '../../../store/store.ts'
import type { Cli } from '../../cli.ts'
import { command, group, type Run, rowsOf } from '../../command.ts'
import { CommandFailed, Option, parseExpiry, requestCount, UsageError, wholeNumber } from '../../options.ts'
import { makeAndShow } from '../../store.ts'
import { toIso, toMinute } from '../../table.ts'
import { findKey, keyDetails, keyToJson, stateText } from './key-format.ts'

const KEYS_PER_PAGE = 1_000

const PLAN = '--plan <plan>'
const PER_MINUTE = new Option('--per-minute <n>', 'requests a minute, for the Enterprise plan').argParser(requestCount)
const PER_DAY = new Option('--per-day <n>', 'requests a day, for the Enterprise plan').argParser(requestCount)
const ONE_OBJECT = 'output as one JSON object'
const EXPIRES = 'when the key expires, ISO 8601; a date without a time means the end of that day, UTC'
const OVERLAP = 'how long the old key keeps working, in seconds'

export const keys = group('Create, list, edit, revoke and rotate API keys.', {
  create: command({
    about: 'Create a key. It is shown only once.',
    examples: [
      "pets keys create --plan free --label 'Rabbit rescue'",
      'pets keys create --plan enterprise --per-minute 600 --per-day 100000 --json',
    ],
    takes: (command) =>
      command
        .addOption(new Option(PLAN, 'plan that sets the limits').makeOptionMandatory().choices(PLAN_NAMES))
        .addOption(PER_MINUTE)
        .addOption(PER_DAY)
        .option('--label <text>', `owner of the key, ${LABEL_FORM}`)
        .option('--expires <time>', EXPIRES, parseExpiry),
    creates: true,
    json: ONE_OBJECT,
    async action(run, options) {
      const { cli } = run
      const { plan, perMinute, perDay, label, expires: expiresAtMs } = options
      const request = { plan, custom: { perMinute, perDay }, label, expiresAtMs }
      // Checked before the database is opened or created.
      const key = await Promise.try(makeKey, { clock: cli.clock, randomBytes }, request).catch((error: unknown) => {
        throw error instanceof RangeError ? new UsageError(`No key was created: ${error.message}.`) : error
      })
      await issueAndShow(run, options, (issuer) => storeKey(issuer, key))
    },
  }),

  list: command({
    about: 'List all keys, without their secrets.',
    examples: ['pets keys list', 'pets keys list --json'],
    json: 'output as JSON, one object a line',
    async action({ cli, open }) {
      const nowMs = cli.clock.now()
      return rowsOf({
        rows: pagesOf(await open()),
        toJson: (key) => keyToJson(key, nowMs),
        columns: {
          ID: 'id',
          PLAN: 'plan',
          'PER MINUTE': 'perMinute',
          'PER DAY': 'perDay',
          STATE: (key) => stateText(key, nowMs),
          CREATED: 'createdAt',
          EXPIRES: 'expiresAt',
          'LAST USED': 'lastUsedAt',
          LABEL: 'label',
        },
        none: 'There are no keys yet. Create one with `pets keys create --plan free`.\n',
      })
    },
  }),

  show: command({
    about: 'Show one key, without its secret.',
    examples: ['pets keys show key_1a2b3c4d5e6f'],
    takes: withId,
    json: ONE_OBJECT,
    async action({ cli, open }, id) {
      const store = await open()
      const key = await findKey(store, id)
      const nowMs = cli.clock.now()
      return { json: keyToJson(key, nowMs), text: keyDetails(key, await successorOf(store, key), nowMs) }
    },
  }),

  edit: command({
    about: 'Edit the plan, the limits or the label of a key.',
    examples: [
      'pets keys edit key_1a2b3c4d5e6f --plan pro',
      'pets keys edit key_1a2b3c4d5e6f --plan enterprise --per-minute 600 --per-day 100000',
    ],
    takes: (command) =>
      withId(command)
        .addOption(new Option(PLAN, 'new plan').choices(PLAN_NAMES))
        .addOption(PER_MINUTE)
        .addOption(PER_DAY)
        .option('--label <text>', `owner of the key, ${LABEL_FORM}; an empty label removes it`),
    json: ONE_OBJECT,
    async action({ cli, command, open }, id, { plan, perMinute, perDay, label }) {
      const edits = Object.entries({ plan, perMinute, perDay, label }).filter(([, value]) => value !== undefined)
      if (edits.length === 0)
        command.error('error: give at least one change: --plan, --per-minute, --per-day or --label.')
      if (label && labelOf(label) === undefined) throw new UsageError(`Nothing was changed: ${LABEL_RULE}.`)
      const store = await open()
      await findKey(store, id)
      const editor = { store, clock: cli.clock, who: cli.author().who }
      await editKey(editor, id, Object.fromEntries(edits) as KeyEdit).catch(refuse)
      const key = await findKey(store, id)
      const now = `${key.plan}, ${key.perMinute} requests a minute and ${key.perDay} a day`
      return outcome(cli, store, key, `Key ${nameOf(key)} is now on the plan ${now}`)
    },
  }),

  unban: command({
    about: 'Unban a key.',
    examples: ['pets keys unban key_1a2b3c4d5e6f'],
    takes: withId,
    json: ONE_OBJECT,
    async action({ cli, open }, id) {
      const store = await open()
      const unbanned = await store.keys.unban(id, cli.author())
      const key = await findKey(store, id)
      if (unbanned === 'not banned') throw new CommandFailed(notBanned(nameOf(key)))
      return outcome(cli, store, key, `Key ${nameOf(key)} is no longer banned`)
    },
  }),

  revoke: command({
    about: 'Revoke a key. In a terminal, asks for confirmation.',
    examples: ['pets keys revoke key_1a2b3c4d5e6f'],
    takes: (command) => withId(command).option('--yes', 'revoke without asking'),
    json: ONE_OBJECT,
    async action({ cli, open }, id, { yes }) {
      const store = await open()
      const key = await findKey(store, id)
      const successor = await successorOf(store, key)
      const lastUse = key.lastUsedAtMs === undefined ? 'never used' : `last used ${toMinute(key.lastUsedAtMs)}`
      const successorNote =
        successor === undefined ? 'not replaced' : `replaced by ${successor.id} on ${toIso(successor.createdAtMs)}`
      cli.hint(`Key ${nameOf(key)}: ${lastUse}, ${successorNote}.\n`)
      const asks = !yes && cli.io.stdin.isTTY && cli.io.stderr.isTTY
      if (asks && !(await agrees(cli))) throw new CommandFailed('Nothing was revoked.')
      await store.keys.revoke(id, cli.author())
      return outcome(cli, store, await findKey(store, id), `Key ${id} was revoked`)
    },
  }),

  rotate: command({
    about: 'Create a replacement key that shares the limits. The old key keeps working for a while.',
    examples: ['pets keys rotate key_1a2b3c4d5e6f --overlap 86400'],
    takes: (command) =>
      command
        .argument('<id>', 'the key to replace')
        .option('--overlap <seconds>', OVERLAP, wholeNumber(0, MAX_OVERLAP_S), 3_600)
        .option('--again', 'create another replacement for a key that already has one'),
    json: ONE_OBJECT,
    async action(run, id, { overlap, again, json }) {
      const { oldUntilMs } = await issueAndShow(run, { json }, async (issuer) => {
        await findKey(issuer.store, id)
        return rotateKey(issuer, id, { overlapMs: overlap * 1000, again }).catch(refuse)
      })
      if (!json) run.cli.hint(`The old key ${id} works until ${toIso(oldUntilMs)}.\n`)
    },
  }),
})

function withId(command: typed.Command) {
  return command.argument('<id>', 'id of the key, as `pets keys list` shows it')
}

function refuse(error: unknown): never {
  if (error instanceof RangeError) throw new CommandFailed(`Nothing was changed: ${error.message}.`)
  if (!(error instanceof AlreadyRotated)) throw error
  throw new CommandFailed(
    `Nothing was changed: ${error.message} on ${toIso(error.successor.createdAtMs)}. Rotate that key, or add --again for one more replacement.`,
  )
}

async function* pagesOf({ keys }: Store) {
  for (let after: Key | undefined; ; ) {
    const page = await keys.list({ limit: KEYS_PER_PAGE, after })
    if (page.length === 0) return
    yield page
    after = page.at(-1)
  }
}

/** Other nodes cache keys (store/postgres/key-lookup.ts). */
function outcome(cli: Cli, { engine }: Store, key: Key, sentence: string) {
  const since = engine === 'postgres' ? ', on every node within 5 seconds' : ''
  return { json: keyToJson(key, cli.clock.now()), text: `${sentence}${since}.\n` }
}

async function agrees(cli: Cli): Promise<boolean> {
  cli.warn('Its requests will be refused. This cannot be undone. Revoke it? (yes/no) ')
  // An open terminal would keep the process running.
  using lines = createInterface({ input: cli.io.stdin })
  for await (const line of lines) return /^y(es)?$/i.test(line.trim())
  return false
}

async function issueAndShow<Issued extends IssuedKey & Partial<RotatedKey>>(
  run: Run,
  { json }: { readonly json?: true | undefined },
  issue: (issuer: Issuer) => Promise<Issued>,
): Promise<Issued> {
  const { cli } = run
  const issued = await makeAndShow(run, 'No key was created', {
    make: (store) => issue({ store, clock: cli.clock, randomBytes, who: cli.author().who }),
    lineOf({ key, secret, oldUntilMs }) {
      const facts = { ...keyToJson(key, cli.clock.now()), key: secret, oldUntilAt: toIso(oldUntilMs) }
      return json ? printableJson(facts) : secret
    },
    async undo({ key, replaced }, store) {
      await store.keys.revoke(key.id, cli.author(), replaced)
      const oldKeyNote = replaced === undefined ? '' : `, and ${replaced.id} still works`
      return `The new key ${key.id} was not shown, so it was revoked${oldKeyNote}.`
    },
  })
  const { id, plan, expiresAtMs } = issued.key
  if (!json) cli.hint(`Key ${id} on the ${plan} plan. It is shown only now, so keep it safe.\n`)
  if (!json && expiresAtMs !== undefined) cli.hint(`It works until ${toIso(expiresAtMs)} (UTC).\n`)
  return issued
}

/** Keys can share a label, so the id comes first. */
function nameOf({ id, label }: Key): string {
  return label === '' ? id : `${id} (${printable(label)})`
}
