/** `pets keys`: issue, list, revoke and rotate API keys (O7). Works beside a running service, which takes note at once. */
import { randomBytes } from 'node:crypto'
import { Command, Option } from 'commander'
import { type Allowance, PLAN_NAMES, PLANS, type Plan } from '../contract/plans.ts'
import { type IssuedKey, isInForce, issueKey, rotateKey } from '../domain/keys.ts'
import { openStore } from '../store/open.ts'
import type { Key, Store } from '../store/store.ts'
import { CommandFailed, databaseOption, instant, wholeNumber } from './options.ts'

const requests = wholeNumber(1, 1_000_000_000)
const DEFAULT_OVERLAP_S = 3_600

interface Common {
  readonly database: string
  readonly json?: true
}

interface CreateOptions extends Common {
  readonly plan: Plan
  readonly perMinute?: number
  readonly perDay?: number
  readonly label: string
  readonly expires?: number
}

const create = new Command('create')
  .description('Issue a key; it is shown once.')
  .addOption(new Option('--plan <plan>', 'the plan it is on').choices(PLAN_NAMES).makeOptionMandatory())
  .option('--per-minute <n>', 'requests a minute (Enterprise)', requests)
  .option('--per-day <n>', 'requests a day (Enterprise)', requests)
  .option('--label <text>', 'whose it is', '')
  .option('--expires <time>', 'when it stops working, ISO 8601', instant)
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((options: CreateOptions, command: Command) =>
    withStore(
      options,
      async (store) => {
        if (options.expires !== undefined && options.expires <= Date.now()) {
          command.error('error: --expires lies in the past; a key needs some time to be used.')
        }
        const issued = await issueKey(issuer(store), {
          plan: options.plan,
          custom: customAllowance(options, command),
          label: options.label,
          expiresAtMs: options.expires,
        })
        showSecret(issued, options)
      },
      false,
    ),
  )

const list = new Command('list')
  .description('Show all keys, without their secrets.')
  .addOption(databaseOption())
  .option('--json', 'one JSON object a line')
  .action((options: Common) =>
    withStore(options, async (store) => {
      const keys = await store.keys.list()
      if (options.json) for (const key of keys) process.stdout.write(`${JSON.stringify(describe(key))}\n`)
      else if (keys.length === 0)
        process.stderr.write('There are no keys yet; make one with: pets keys create --plan free\n')
      else process.stdout.write(toTable(keys))
    }),
  )

const revoke = new Command('revoke')
  .description('End a key at once.')
  .argument('<id>', 'its id, as `pets keys list` shows it')
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((id: string, options: Common) =>
    withStore(options, async (store) => {
      if (!(await store.keys.revoke(id, Date.now()))) {
        throw new CommandFailed(`There is no key ${id}; \`pets keys list\` shows those there are.`)
      }
      const key = (await store.keys.list()).find((key) => key.id === id)
      if (options.json && key) process.stdout.write(`${JSON.stringify(describe(key))}\n`)
      else process.stdout.write(`Key ${id} is revoked.\n`)
    }),
  )

const rotate = new Command('rotate')
  .description('Issue a successor that shares the limits; the old key works a while longer.')
  .argument('<id>', 'the key to replace')
  .option('--overlap <seconds>', 'how long the old key still works', wholeNumber(0, 31_536_000), DEFAULT_OVERLAP_S)
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((id: string, options: Common & { readonly overlap: number }) =>
    withStore(options, async (store) => {
      const issued = await rotateKey(issuer(store), id, options.overlap * 1000).catch((error: unknown) => {
        throw error instanceof RangeError ? new CommandFailed(`Nothing was changed: ${error.message}.`) : error
      })
      showSecret(issued, options)
    }),
  )

export const keys = new Command('keys')
  .description('Issue, list, revoke and rotate API keys.')
  .addCommand(create)
  .addCommand(list)
  .addCommand(revoke)
  .addCommand(rotate)

function customAllowance({ plan, perMinute, perDay }: CreateOptions, command: Command): Allowance | undefined {
  if (PLANS[plan] !== undefined) {
    if (perMinute === undefined && perDay === undefined) return undefined
    command.error(`error: the ${plan} plan has its own numbers; --per-minute and --per-day go with --plan enterprise.`)
  }
  if (perMinute === undefined || perDay === undefined) {
    command.error('error: --plan enterprise needs --per-minute and --per-day.')
  }
  return { perMinute, perDay }
}

async function withStore(options: Common, work: (store: Store) => Promise<void>, mustExist = true): Promise<void> {
  const store = await openStore(options.database, { serving: false, mustExist })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

function issuer(store: Store) {
  return { store, clock: Date.now, randomBytes }
}

function showSecret({ key, secret }: IssuedKey, { json }: Common): void {
  if (json) process.stdout.write(`${JSON.stringify({ ...describe(key), key: secret })}\n`)
  else process.stdout.write(`${secret}\n`)
  if (!json) process.stderr.write(`Key ${key.id} on the ${key.plan} plan; it is shown only now, so keep it safe.\n`)
}

function describe(key: Key) {
  return {
    id: key.id,
    plan: key.plan,
    perMinute: key.perMinute,
    perDay: key.perDay,
    label: key.label,
    state: stateOf(key),
    created: toIso(key.createdAtMs),
    expires: toIso(key.expiresAtMs),
    revoked: toIso(key.revokedAtMs),
    lastUsed: toIso(key.lastUsedAtMs),
  }
}

function stateOf(key: Key): string {
  if (key.revokedAtMs !== undefined) return 'revoked'
  return isInForce(key, Date.now()) ? 'active' : 'expired'
}

function toIso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

function toTable(keys: readonly Key[]): string {
  const minute = (ms: number | undefined) => toIso(ms)?.slice(0, 16).concat('Z') ?? '-'
  const rows = [
    ['ID', 'PLAN', 'PER MINUTE', 'PER DAY', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'LABEL'],
    ...keys.map((key) => [
      key.id,
      key.plan,
      String(key.perMinute),
      String(key.perDay),
      stateOf(key),
      minute(key.createdAtMs),
      minute(key.expiresAtMs),
      minute(key.lastUsedAtMs),
      key.label,
    ]),
  ]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
