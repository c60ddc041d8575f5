/** Commands of NOBODY, who has nothing but the rights of everybody: all in one process, which is theirs. */
import { fork } from 'node:child_process'
import { on } from 'node:events'
import { NOBODY } from '../other-user.ts'
import { endWithTests } from '../servers/servers.ts'
import type { CommandResult } from '../service.ts'
import type { pets } from './commands.ts'

type Command = Parameters<typeof pets>

/** `pets` as commands.ts has it. The process ends with the disposal. */
export function startNobody(): { readonly pets: (...command: Command) => Promise<CommandResult> } & Disposable {
  const child = fork(`${import.meta.dirname}/answering.ts`, { execArgv: [], uid: NOBODY, gid: NOBODY })
  endWithTests(child)
  let count = 0
  return {
    async pets(...command) {
      count += 1
      const own = count
      const answers = on(child, 'message', { close: ['exit'] })
      child.send([own, ...command])
      for await (const [[n, result]] of answers) if (n === own) return result
      throw new Error('the process of NOBODY has ended')
    },
    [Symbol.dispose]: () => child.disconnect(),
  }
}
