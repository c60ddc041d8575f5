/** A process that runs the commands that its parent sends it, for as-nobody.ts: as whoever it was started. */
import { pets } from '../support/commands/commands.ts'

process.on('message', async ([n, ...command]: [number, ...Parameters<typeof pets>]) => {
  process.send?.([n, await pets(...command)])
})
