/** `pets keys show`, `edit`, `unban` and `revoke`: one key, and what is changed of it without a new secret. */
import { createInterface } from 'node:readline'
import { Command, Option } from 'commander'
import { printable } from '../../../common/printable.ts'
import { systemClock } from '../../../common/system-clock.ts'
import { PLAN_NAMES } from '../../../contract/plans.ts'
import { editKey, isLabel, type KeyEdit, LABEL_RULE } from '../../../domain/keys.ts'
import type { Key } from '../../../store/rows.ts'
import type { Store } from '../../../store/store.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption, requests } from '../../options.ts'
import { hint, note, print } from '../../output.ts'
import { author, withStore } from '../../store.ts'
import { toIso, toMinute } from '../../table.ts'
import { toJsonLine, toText } from './key-lines.ts'

interface Common {
  readonly database: string
  readonly json?: true
}

export const show = new Command('show')
  .description('Show one key, without its secret.')
  .addHelpText('after', examples('pets keys show key_1a2b3c4d5e6f'))
  .argument('<id>', 'its id, as `pets keys list` shows it')
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((id: string, options: Common) =>
    withStore(options, async (store) => {
      const key = await keyOf(store, id)
      await print(options.json ? toJsonLine(key) : toText(key, await successorOf(store, key)))
    }),
  )

export const edit = new Command('edit')
  .description('Change plan, limits or label of a key; its secret and what it has used stay.')
  .addHelpText(
    'after',
    examples(
      'pets keys edit key_1a2b3c4d5e6f --plan pro',
      'pets keys edit key_1a2b3c4d5e6f --plan enterprise --per-minute 600 --per-day 100000',
    ),
  )
  .argument('<id>', 'its id, as `pets keys list` shows it')
  .addOption(new Option('--plan <plan>', 'the plan it is on from now on').choices(PLAN_NAMES))
  .option('--per-minute <n>', 'requests a minute (Enterprise)', requests)
  .option('--per-day <n>', 'requests a day (Enterprise)', requests)
  .option('--label <text>', 'the owner of the key, 1 to 200 printable characters')
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((id: string, { database, json, ...change }: Common & KeyEdit, command: Command) => {
    if (Object.keys(change).length === 0) {
      command.error('error: say what to change: --plan, --per-minute, --per-day or --label.')
    }
    if (change.label !== undefined && !isLabel(change.label)) {
      command.error(`error: --label cannot be this text: ${LABEL_RULE}.`)
    }
    return withStore({ database }, async (store) => {
      await editKey({ store, clock: systemClock, who: author().who }, id, change).catch((error: unknown) => {
        throw error instanceof RangeError ? new CommandFailed(`Nothing was changed: ${error.message}.`) : error
      })
      const key = await keyOf(store, id)
      const now = `${key.plan}, ${key.perMinute} requests a minute and ${key.perDay} a day`
      await print(json ? toJsonLine(key) : `Key ${nameOf(key)} is now on the plan ${now}.\n`)
    })
  })

export const unban = new Command('unban')
  .description('End the ban of a key at once; what it has used stays.')
  .addHelpText('after', examples('pets keys unban key_1a2b3c4d5e6f'))
  .argument('<id>', 'its id, as `pets keys list` shows it')
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((id: string, options: Common) =>
    withStore(options, async (store) => {
      const outcome = await store.keys.unban(id, author())
      const key = await keyOf(store, id)
      if (outcome === 'not banned') throw new CommandFailed(`Key ${nameOf(key)} is not banned; nothing was changed.`)
      await print(options.json ? toJsonLine(key) : `Key ${nameOf(key)} is not banned any more.\n`)
    }),
  )

export const revoke = new Command('revoke')
  .description('End a key at once. In a terminal it shows the key and asks.')
  .addHelpText('after', examples('pets keys revoke key_1a2b3c4d5e6f'))
  .argument('<id>', 'its id, as `pets keys list` shows it')
  .option('--yes', 'do not ask')
  .addOption(databaseOption())
  .option('--json', 'one JSON object')
  .action((id: string, options: Common & { readonly yes?: true }) =>
    withStore(options, async (store) => {
      const key = await keyOf(store, id)
      const successor = await successorOf(store, key)
      const used = key.lastUsedAtMs === undefined ? 'never used' : `last used ${toMinute(key.lastUsedAtMs)}`
      const replaced =
        successor === undefined ? 'not replaced' : `replaced by ${successor.id} on ${toIso(successor.createdAtMs)}`
      hint(`Key ${nameOf(key)}: ${used}, ${replaced}.\n`)
      const asks = !options.yes && process.stdin.isTTY && process.stderr.isTTY
      if (asks && !(await agrees())) throw new CommandFailed('Nothing was revoked.')
      await store.keys.revoke(id, author())
      await print(options.json ? toJsonLine(await keyOf(store, id)) : `Key ${id} is revoked.\n`)
    }),
  )

/** Throws CommandFailed. */
async function keyOf(store: Store, id: string): Promise<Key> {
  const key = await store.keys.get(id)
  if (key === undefined) {
    throw new CommandFailed(`There is no key ${printable(id)}; \`pets keys list\` shows those there are.`)
  }
  return key
}

async function successorOf(store: Store, { id, lineage }: Key): Promise<Key | undefined> {
  const newest = await store.keys.newestOf(lineage)
  return newest?.id === id ? undefined : newest
}

/** Several keys may have one label, so the id comes first. */
function nameOf({ id, label }: Key): string {
  return label === '' ? id : `${id} (${printable(label)})`
}

/** Reads one line of the terminal; the end of the input is a no. */
async function agrees(): Promise<boolean> {
  note('Its requests are refused from then on, which cannot be undone. Revoke it? (yes/no) ')
  // Closed after the answer: an open terminal would keep the process.
  using lines = createInterface({ input: process.stdin })
  for await (const line of lines) return /^y(es)?$/i.test(line.trim())
  return false
}
