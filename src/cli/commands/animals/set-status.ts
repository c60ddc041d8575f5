/**
 * `pets set-status`: only the operator changes a status; no HTTP operation does, and any transition is allowed (O3).
 */
import { Command } from 'commander'
import { parseInt64 } from '../../../contract/int64.ts'
import { isPetStatus, PetStatus } from '../../../contract/schemas.ts'
import { examples } from '../../examples.ts'
import { databaseOption } from '../../options.ts'
import { print } from '../../output.ts'
import { author, withStore } from '../../store.ts'
import { animals, changedBy, readIds } from './animal.ts'

const STATUSES: readonly string[] = [...PetStatus.enum, 'none']

export const setStatus = new Command('set-status')
  .description('Set the status of animals. Changes all of them or none.')
  .addHelpText('after', examples('pets set-status sold 42 43', 'pets set-status available - < ids.txt'))
  .usage('[options] <status> <id...|->')
  .argument('<status>', STATUSES.join(', '))
  .argument('<ids...>', 'their ids; - reads them from standard input, one a line')
  .addOption(databaseOption())
  .action(async (first: string, rest: readonly string[], options: { readonly database: string }, command: Command) => {
    // The order `set-status ID STATUS` is accepted too.
    const [status, ids] = STATUSES.includes(first) || rest.length > 1 ? [first, rest] : [rest[0] ?? '', [first]]
    if (!isPetStatus(status) && status !== 'none') {
      command.error(`error: the status must be one of ${STATUSES.join(', ')}, followed by the ids of animals.`)
    }
    const wanted = ids.length === 1 && ids[0] === '-' ? await readIds() : ids.map((text) => idOf(text, command))
    const n = await withStore(options, async ({ records }) =>
      changedBy(await records.change(wanted, { status: isPetStatus(status) ? status : null }, author())),
    )
    const now = status === 'none' ? 'without a status' : status
    if (wanted.length === 1) await print(`Animal ${wanted[0]} is ${now}.\n`)
    else await print(`${animals(wanted.length)} are ${now}; ${n} of them changed.\n`)
  })

/** Not in the parser of an argument: only when all arguments are known is it clear which of them are ids. */
function idOf(text: string, command: Command): bigint {
  const id = parseInt64(text)
  return id ?? command.error(`error: ${JSON.stringify(text)} is not the id of an animal.`)
}
