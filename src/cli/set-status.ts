/** `pets set-status`: the operator's own act; no HTTP operation changes a status, and there are no rules of transition (O3). */
import { Argument, Command, InvalidArgumentError } from 'commander'
import { parseInt64 } from '../contract/int64.ts'
import { PetStatus } from '../contract/schemas.ts'
import { openStore } from '../store/open.ts'
import { CommandFailed, databaseOption } from './options.ts'
import { print } from './output.ts'

export const setStatus = new Command('set-status')
  .description('Give an animal another status.')
  .argument('<id>', 'its id', petId)
  .addArgument(new Argument('<status>', 'the new status').choices(PetStatus.enum))
  .addOption(databaseOption())
  .action(async (id: bigint, status: PetStatus, options: { readonly database: string }) => {
    const store = await openStore(options.database, { serving: false, mustExist: true })
    try {
      if (!(await store.pets.setStatus(id, status))) throw new CommandFailed(`There is no animal ${id}.`)
    } finally {
      await store.close()
    }
    await print(`Animal ${id} is ${status}.\n`)
  })

function petId(text: string): bigint {
  const id = parseInt64(text)
  if (id === undefined) throw new InvalidArgumentError('It must be a whole number, as the list shows it.')
  return id
}
