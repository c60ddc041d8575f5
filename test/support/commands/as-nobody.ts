/** Commands of NOBODY, who has nothing but the rights of everybody: all in one process, which is theirs. */
import { fork } from 'node:child_process'
import { on } from 'node:events'
import { NOBODY } from '../other-user.ts'
import { endWithTests } from '../servers/servers.ts'
import type { CommandResult } from '../service.ts'
import { pets } from './commands.ts'

type Command = Parameters<typeof pets>

if (process.argv[1] === import.meta.filename) {
  process.on('message', async ([n, ...command]: [number, ...Command]) => {
    process.send?.([n, await pets(...command)])
  })
}

/** `pets` as commands.ts has it. The process ends with the disposal. */
export function startNobody(): { readonly pets: (...command: Command) => Promise<CommandResult> } & Disposable {
  const child = fork(import.meta.filename, { execArgv: [], uid: NOBODY, gid: NOBODY })
  endWithTests(child)
  let count = 0
  return {
    async pets(...command) {
      count += 1
      const own = count
      const answers = on(child, 'message')
      child.send([own, ...command])
      for await (const [[n, result]] of answers) if (n === own) return result
      throw new Error('no answer')
    },
    [Symbol.dispose]: () => child.disconnect(),
  }
}
