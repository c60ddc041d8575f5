/** `pets set-status`, `remove` and `restore-animal`. Only the operator changes a status, in any way (O3). */
import type { Command } from 'commander'
import { counted } from '../../../common/counted.ts'
import { parseInt64 } from '../../../contract/int64.ts'
import { isPetStatus, PetStatus } from '../../../contract/schemas.ts'
import { RESTORABLE_DAYS } from '../../../rules/bounds.ts'
import { command } from '../../command.ts'
import { COMMAND } from '../../command-name.ts'
import { changedCount, petIds, readIds } from './animal.ts'

const STATUSES: readonly string[] = [...PetStatus.enum, 'none']

export const setStatus = command({
  about: 'Set the status of animals. Changes all of them or none.',
  examples: ['pets set-status sold 42 43', 'pets set-status available - < ids.txt'],
  takes: (command) =>
    command
      .usage('[options] <status> <id...|->')
      .argument('<status>', STATUSES.join(', '))
      .argument('<ids...>', 'their ids; - reads them from standard input, one a line'),
  async action({ cli, command, open }, first, rest) {
    // The order `set-status ID STATUS` is accepted too.
    const [status, ids] = STATUSES.includes(first) || rest.length > 1 ? [first, rest] : [rest[0] ?? '', [first]]
    if (!isPetStatus(status) && status !== 'none') {
      command.error(`error: the status must be one of ${STATUSES.join(', ')}, followed by the ids of animals.`)
    }
    const isRead = ids.length === 1 && ids[0] === '-'
    const targets = isRead ? await readIds(cli) : ids.map((text) => idOf(text, command))
    const { records } = await open()
    const n = changedCount(await records.change(targets, { status: isPetStatus(status) ? status : null }, cli.author()))
    const now = status === 'none' ? 'without a status' : status
    if (targets.length === 1) return `Animal ${targets[0]} is ${now}.\n`
    return `${counted(targets.length, 'animal')} are ${now}; ${n} of them changed.\n`
  },
})

/** Not in the parser of an argument: only all arguments show which of them are ids. */
function idOf(text: string, command: Command): bigint {
  const id = parseInt64(text)
  return id ?? command.error(`error: ${JSON.stringify(text)} is not the id of an animal.`)
}

export const remove = command({
  about: `Remove animals. They can be restored for ${RESTORABLE_DAYS} days.`,
  examples: ['pets remove 42 43'],
  takes: (command) => command.argument('<ids...>', 'their ids', petIds),
  async action({ cli, open }, ids) {
    const { records } = await open()
    const by = cli.author()
    const n = changedCount(await records.remove(ids, by))
    // Reported before the purge, whose failure does not undo the removal.
    const it = n === 1 ? 'it' : 'them'
    const restoring = `\`${COMMAND} restore-animal\` restores ${it} for ${RESTORABLE_DAYS} days`
    await cli.print(`${counted(n, 'animal')} removed. ${restoring}.\n`)
    // Only a warning: the service or a later removal tries again.
    await records.purge(by).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      cli.warn(`Warning: animals removed long ago could not be purged; the next removal tries again. ${reason}\n`)
    })
  },
})

export const restoreAnimal = command({
  about: 'Restore removed animals as they were.',
  examples: ['pets restore-animal 42'],
  takes: (command) => command.argument('<ids...>', 'their ids', petIds),
  async action({ cli, open }, ids) {
    const { records } = await open()
    const n = changedCount(await records.restore(ids, cli.author()), 'There is no removed animal')
    return `${counted(n, 'animal')} restored.\n`
  },
})
