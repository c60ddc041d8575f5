/**
 * `pets set-status`, `edit`, `remove` and `restore-animal`. Only the operator changes a status; no HTTP operation does,
 * and any transition is allowed (O3).
 */
import type { Command } from 'commander'
import { counted } from '../../../common/counted.ts'
import { parseInt64 } from '../../../contract/int64.ts'
import { isPetStatus, PetStatus } from '../../../contract/schemas.ts'
import { isStorableText, NAME_RULE } from '../../../contract/validate.ts'
import { RESTORABLE_DAYS, RESTORABLE_MS } from '../../../rules/bounds.ts'
import type { PetChanges } from '../../../rules/members.ts'
import type { Cli } from '../../cli.ts'
import { databaseCommand, storeCommand } from '../../command.ts'
import { COMMAND } from '../../command-name.ts'
import { changedCount, petId, petIds, readIds } from './animal.ts'

const STATUSES: readonly string[] = [...PetStatus.enum, 'none']

export function setStatus(cli: Cli): Command {
  return databaseCommand(cli, 'set-status', {
    about: 'Set the status of animals. Changes all of them or none.',
    examples: ['pets set-status sold 42 43', 'pets set-status available - < ids.txt'],
    takes: (command) =>
      command
        .usage('[options] <status> <id...|->')
        .argument('<status>', STATUSES.join(', '))
        .argument('<ids...>', 'their ids; - reads them from standard input, one a line'),
    action: async ({ command, withStore }, first, rest) => {
      // The order `set-status ID STATUS` is accepted too.
      const [status, ids] = STATUSES.includes(first) || rest.length > 1 ? [first, rest] : [rest[0] ?? '', [first]]
      if (!isPetStatus(status) && status !== 'none') {
        command.error(`error: the status must be one of ${STATUSES.join(', ')}, followed by the ids of animals.`)
      }
      const isRead = ids.length === 1 && ids[0] === '-'
      const wanted = isRead ? await readIds(cli) : ids.map((text) => idOf(text, command))
      const n = await withStore(async ({ records }) =>
        changedCount(await records.change(wanted, { status: isPetStatus(status) ? status : null }, cli.author())),
      )
      const now = status === 'none' ? 'without a status' : status
      if (wanted.length === 1) await cli.print(`Animal ${wanted[0]} is ${now}.\n`)
      else await cli.print(`${counted(wanted.length, 'animal')} are ${now}; ${n} of them changed.\n`)
    },
  })
}

/** Not in the parser of an argument: only when all arguments are known is it clear which of them are ids. */
function idOf(text: string, command: Command): bigint {
  const id = parseInt64(text)
  return id ?? command.error(`error: ${JSON.stringify(text)} is not the id of an animal.`)
}

export function edit(cli: Cli): Command {
  return databaseCommand(cli, 'edit', {
    about: 'Correct the name or the category of an animal.',
    examples: ['pets edit 42 --name Rex --category 6'],
    takes: (command) =>
      command
        .argument('<id>', 'its id', petId)
        .option('--name <text>', 'its new name')
        .option('--category <n>', 'the number of its new category', petId),
    action: async ({ command, withStore }, id, { name, category }) => {
      if (name === undefined && category === undefined) {
        command.error('error: give what is to be corrected: --name, --category, or both.')
      }
      if (name !== undefined && !isStorableText(name)) command.error(`error: --name ${NAME_RULE}.`)
      const changes: PetChanges = {
        ...(name !== undefined && { name }),
        ...(category !== undefined && { categoryId: category }),
      }
      const n = await withStore(async ({ records }) => changedCount(await records.change([id], changes, cli.author())))
      await cli.print(n === 0 ? `Animal ${id} already has these values.\n` : `Animal ${id} is corrected.\n`)
    },
  })
}

export function remove(cli: Cli): Command {
  return storeCommand(cli, 'remove', {
    about: `Remove animals; restore-animal brings them back for ${RESTORABLE_DAYS} days.`,
    examples: ['pets remove 42 43'],
    takes: (command) => command.argument('<ids...>', 'their ids', petIds),
    action: async ({ store: { records } }, ids) => {
      const by = cli.author()
      const back = `\`${COMMAND} restore-animal\``
      const n = changedCount(await records.remove(ids, by))
      // Reported before the purge, whose failure does not undo the removal.
      const it = n === 1 ? 'it' : 'them'
      await cli.print(`${counted(n, 'animal')} removed; ${back} brings ${it} back for ${RESTORABLE_DAYS} days.\n`)
      // Only a warning: the service or a later removal tries again.
      await records.purge(by.atMs - RESTORABLE_MS, by).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        cli.warn(`Warning: animals removed long ago could not be purged; the next removal tries again. ${reason}\n`)
      })
    },
  })
}

export function restoreAnimal(cli: Cli): Command {
  return databaseCommand(cli, 'restore-animal', {
    about: 'Bring removed animals back as they were.',
    examples: ['pets restore-animal 42'],
    takes: (command) => command.argument('<ids...>', 'their ids', petIds),
    action: async ({ withStore }, ids) => {
      const n = await withStore(async ({ records }) =>
        changedCount(await records.restore(ids, cli.author()), 'There is no removed animal'),
      )
      await cli.print(`${counted(n, 'animal')} restored.\n`)
    },
  })
}
