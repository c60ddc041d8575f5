/** `pets keys`: issues, lists and rotates API keys (O7). A running service sees the change at once. */
import { randomBytes } from 'node:crypto'
import { Command, Option } from 'commander'
import { printableJson } from '../../../common/printable.ts'
import { systemClock } from '../../../common/system-clock.ts'
import { type Allowance, PLAN_NAMES, PLANS, type Plan } from '../../../contract/plans.ts'
import {
  AlreadyRotated,
  type IssuedKey,
  type Issuer,
  isLabel,
  issueKey,
  LABEL_RULE,
  type RotatedKey,
  rotateKey,
} from '../../../domain/keys.ts'
import type { Key } from '../../../store/rows.ts'
import { type Store, StoreUnavailable } from '../../../store/store.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption, instant, requests, wholeNumber } from '../../options.ts'
import { hint, print } from '../../output.ts'
import { author, createOption, withNewStore, withStore } from '../../store.ts'
import { tableOf, toIso } from '../../table.ts'
import { edit, revoke, show, unban } from './key-changes.ts'
import { HEADINGS, toCells, toJson, toJsonLine } from './key-lines.ts'

const DEFAULT_OVERLAP_S = 3_600
const KEYS_PER_PAGE = 1_000

interface Common {
  readonly database: string
  readonly json?: true
}

interface CreateOptions extends Common {
  readonly plan: Plan
  readonly perMinute?: number
  readonly perDay?: number
  readonly label?: string
  readonly expires?: number
}

const create = new Command('create')
  .description('Issue a key; it is shown once.')
  .addHelpText(
    'after',
    examples(
      "pets keys create --plan free --label 'Rabbit rescue'",
      'pets keys create --plan enterprise --per-minute 600 --per-day 100000 --json',
    ),
  )
  .addOption(new Option('--plan <plan>', 'the plan it is on').choices(PLAN_NAMES).makeOptionMandatory())
  .option('--per-minute <n>', 'requests a minute (Enterprise)', requests)
  .option('--per-day <n>', 'requests a day (Enterprise)', requests)
  .option('--label <text>', 'the owner of the key, 1 to 200 printable characters')
  .option('--expires <time>', 'when it stops working, ISO 8601', instant)
  .addOption(databaseOption())
  .addOption(createOption())
  .option('--json', 'one JSON object')
  .action((options: CreateOptions, command: Command) =>
    withNewStore(options, command, async (store) => {
      if (options.expires !== undefined && options.expires <= systemClock.now()) {
        command.error('error: --expires is in the past; give a later time.')
      }
      // Not in the parser of the option: Commander repeats refused values on the terminal as they are.
      if (options.label !== undefined && !isLabel(options.label)) {
        command.error(`error: --label cannot be this text: ${LABEL_RULE}.`)
      }
      const request = {
        plan: options.plan,
        custom: customAllowance(options, command),
        label: options.label ?? '',
        expiresAtMs: options.expires,
      }
      await issueAndShow(store, options, (issuer) => issueKey(issuer, request))
    }),
  )

const list = new Command('list')
  .description('Show all keys, without their secrets.')
  .addHelpText('after', examples('pets keys list', 'pets keys list --json'))
  .addOption(databaseOption())
  .option('--json', 'one JSON object a line')
  .action((options: Common) =>
    withStore(options, async (store) => {
      const toTable = tableOf(HEADINGS)
      let after: Key | undefined
      do {
        const keys = await store.keys.list({ limit: KEYS_PER_PAGE, after })
        if (keys.length > 0) await print(options.json ? keys.map(toJsonLine).join('') : toTable(keys.map(toCells)))
        else if (after === undefined) {
          hint('There are no keys yet; create one with `pets keys create --plan free`.\n')
        }
        after = keys.at(-1)
      } while (after !== undefined)
    }),
  )

const rotate = new Command('rotate')
  .description('Issue a successor that shares the limits; the old key works for some time longer.')
  .addHelpText('after', examples('pets keys rotate key_1a2b3c4d5e6f --overlap 86400'))
  .argument('<id>', 'the key to replace')
  .option('--overlap <seconds>', 'how long the old key still works', wholeNumber(0, 31_536_000), DEFAULT_OVERLAP_S)
  .option('--again', 'issue another successor of a key that already has one')
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((id: string, options: Common & { readonly overlap: number; readonly again?: true }) =>
    withStore(options, async (store) => {
      const { again } = options
      const { oldUntilMs } = await issueAndShow(store, options, (issuer) =>
        rotateKey(issuer, id, { overlapMs: options.overlap * 1000, again }).catch((error: unknown) => {
          if (error instanceof RangeError) throw new CommandFailed(`Nothing was changed: ${error.message}.`)
          if (!(error instanceof AlreadyRotated)) throw error
          throw new CommandFailed(
            `Nothing was changed: ${error.message} on ${toIso(error.successor.createdAtMs)}; rotate that one, or add --again for one more successor.`,
          )
        }),
      )
      if (!options.json) hint(`The old key ${id} works until ${toIso(oldUntilMs)}.\n`)
    }),
  )

export const keys = new Command('keys')
  .description('Issue, list, change, revoke and rotate API keys.')
  .addCommand(create)
  .addCommand(list)
  .addCommand(show)
  .addCommand(edit)
  .addCommand(unban)
  .addCommand(revoke)
  .addCommand(rotate)

function customAllowance({ plan, perMinute, perDay }: CreateOptions, command: Command): Allowance | undefined {
  if (PLANS[plan] !== undefined) {
    if (perMinute === undefined && perDay === undefined) return undefined
    command.error(`error: the limits of the ${plan} plan are fixed; --per-minute and --per-day need --plan enterprise.`)
  }
  if (perMinute === undefined || perDay === undefined) {
    command.error('error: --plan enterprise needs --per-minute and --per-day.')
  }
  return { perMinute, perDay }
}

/** Shows the new key, then stores it: a key that could not be shown is not stored, and a failed store is reported. */
async function issueAndShow<Issued extends IssuedKey>(
  store: Store,
  { json }: Common,
  issue: (issuer: Issuer) => Promise<Issued>,
): Promise<Issued> {
  let shown = false
  const show = async ({ key, secret, oldUntilMs }: IssuedKey & Partial<RotatedKey>) => {
    const oldUntilAt = toIso(oldUntilMs)
    const text = json ? `${printableJson({ ...toJson(key), key: secret, oldUntilAt })}\n` : `${secret}\n`
    await print(text).catch((error: Error) => {
      throw new CommandFailed(`No key was issued. ${error.message}`)
    })
    shown = true
  }
  try {
    const issued = await issue({ store, clock: systemClock, randomBytes, who: author().who, show })
    const { id, plan } = issued.key
    if (!json) hint(`Key ${id} on the ${plan} plan; it is shown only now, so keep it safe.\n`)
    return issued
  } catch (error) {
    if ((error instanceof StoreUnavailable || error instanceof CommandFailed) && shown) {
      throw new CommandFailed(`The key shown was not stored and does not work. ${error.message}`)
    }
    throw error
  }
}
