/** Shared by the commands about animals: arguments, outcome messages, and how an animal is shown. */
import { createInterface } from 'node:readline'
import { InvalidArgumentError } from 'commander'
import { printable } from '../../../common/printable.ts'
import { parseInt64 } from '../../../contract/int64.ts'
import { WHOLE_NUMBER_RULE } from '../../../contract/validate.ts'
import type { ChangeOutcome } from '../../../store/records.ts'
import type { Cli } from '../../cli.ts'
import { CommandFailed } from '../../options.ts'

const IDS_SHOWN = 10

/** An id as an argument of a command. Throws InvalidArgumentError. */
export function petId(text: string): bigint {
  const id = parseInt64(text)
  if (id === undefined) {
    throw new InvalidArgumentError(
      /^[+-]?\d+$/.test(text) ? `It ${WHOLE_NUMBER_RULE}.` : 'It must be a whole number, as `pets find` shows it.',
    )
  }
  return id
}

/** For an argument that may be repeated. */
export function petIds(text: string, before: readonly bigint[] = []): readonly bigint[] {
  return [...before, petId(text)]
}

/** Reads ids from standard input, one per line. Throws CommandFailed, naming the line that is not an id. */
export async function readIds(cli: Cli): Promise<readonly bigint[]> {
  const ids: bigint[] = []
  let line = 0
  for await (const text of createInterface({ input: cli.io.stdin })) {
    line += 1
    if (text.trim() === '') continue
    const id = parseInt64(text.trim())
    if (id === undefined) {
      throw new CommandFailed(`Line ${line} of standard input is not the id of an animal; nothing was changed.`)
    }
    ids.push(id)
  }
  return ids
}

/** The number of animals changed. Throws CommandFailed if nothing was; `missing` begins the message about the ids. */
export function changedCount(outcome: ChangeOutcome, missing = 'There is no animal'): number {
  if (outcome.missing.length === 0) return outcome.changed
  const ids = outcome.missing.slice(0, IDS_SHOWN).join(', ')
  const more = outcome.missing.length > IDS_SHOWN ? ` and ${outcome.missing.length - IDS_SHOWN} more` : ''
  throw new CommandFailed(`${missing} ${ids}${more}; nothing was changed.`)
}

export function categoryText(categoryId: string, labels: ReadonlyMap<bigint, string>): string {
  const label = labels.get(BigInt(categoryId))
  return label === undefined ? categoryId : `${categoryId} ${printable(label)}`
}
