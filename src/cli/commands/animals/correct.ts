/** `pets edit`, `pets remove` and `pets restore-animal`. */
import { Command } from 'commander'
import { isStorableText, NAME_RULE } from '../../../contract/validate.ts'
import type { Author } from '../../../store/author.ts'
import type { PetChanges, PetRecords } from '../../../store/records.ts'
import { RESTORABLE_DAYS, RESTORABLE_MS } from '../../../store/rules/bounds.ts'
import { COMMAND } from '../../command-name.ts'
import { examples } from '../../examples.ts'
import { databaseOption } from '../../options.ts'
import { note, print } from '../../output.ts'
import { author, withStore } from '../../store.ts'
import { animals, changedBy, petId, petIds } from './animal.ts'

interface EditOptions {
  readonly database: string
  readonly name?: string
  readonly category?: bigint
}

export const edit = new Command('edit')
  .description('Correct the name or the category of an animal.')
  .addHelpText('after', examples('pets edit 42 --name Rex --category 6'))
  .argument('<id>', 'its id', petId)
  .option('--name <text>', 'its new name')
  .option('--category <n>', 'the number of its new category', petId)
  .addOption(databaseOption())
  .action(async (id: bigint, options: EditOptions, command: Command) => {
    const { name, category } = options
    if (name === undefined && category === undefined) {
      command.error('error: give what is to be corrected: --name, --category, or both.')
    }
    if (name !== undefined && !isStorableText(name)) command.error(`error: --name ${NAME_RULE}.`)
    const changes: PetChanges = {
      ...(name !== undefined && { name }),
      ...(category !== undefined && { categoryId: category }),
    }
    const n = await withStore(options, async ({ records }) => changedBy(await records.change([id], changes, author())))
    await print(n === 0 ? `Animal ${id} already has these values.\n` : `Animal ${id} is corrected.\n`)
  })

export const remove = new Command('remove')
  .description(`Remove animals; restore-animal brings them back for ${RESTORABLE_DAYS} days.`)
  .addHelpText('after', examples('pets remove 42 43'))
  .argument('<ids...>', 'their ids', petIds)
  .addOption(databaseOption())
  .action(async (ids: readonly bigint[], options: { readonly database: string }) => {
    const by = author()
    const back = `\`${COMMAND} restore-animal\``
    await withStore(options, async ({ records }) => {
      const n = changedBy(await records.remove(ids, by))
      // Reported before the purge, whose failure does not undo the removal.
      await print(
        `${animals(n)} removed; ${back} brings ${n === 1 ? 'it' : 'them'} back for ${RESTORABLE_DAYS} days.\n`,
      )
      await purge(records, by)
    })
  })

/**
 * Deletes for good what was removed long ago. A failure is only a warning: the service or a later removal tries again.
 */
async function purge(records: PetRecords, by: Author): Promise<void> {
  try {
    await records.purge(by.atMs - RESTORABLE_MS, by)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    note(`Warning: animals removed long ago could not be purged; the next removal tries again. ${reason}\n`)
  }
}

export const restoreAnimal = new Command('restore-animal')
  .description('Bring removed animals back as they were.')
  .addHelpText('after', examples('pets restore-animal 42'))
  .argument('<ids...>', 'their ids', petIds)
  .addOption(databaseOption())
  .action(async (ids: readonly bigint[], options: { readonly database: string }) => {
    const n = await withStore(options, async ({ records }) =>
      changedBy(await records.restore(ids, author()), 'There is no removed animal'),
    )
    await print(`${animals(n)} restored.\n`)
  })
