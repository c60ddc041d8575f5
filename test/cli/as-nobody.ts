/** Commands of NOBODY, who has nothing but the rights of everybody: all in one process, which is theirs. */

import type { pets } from '../support/commands/commands.ts'
import { NOBODY } from '../support/other-user.ts'
import { type CommandResult, startProgram } from '../support/service.ts'
import { unlessEnded } from '../support/until.ts'

type Command = Parameters<typeof pets>

/** `pets` as commands.ts has it. The process ends with the disposal. */
export function startNobody(): { readonly pets: (...command: Command) => Promise<CommandResult> } & Disposable {
  const {
    process: child,
    ended,
    stderr,
  } = startProgram([process.execPath, `${import.meta.dirname}/answering.ts`], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    uid: NOBODY,
    gid: NOBODY,
  })
  const answers: ((result: CommandResult) => void)[] = []
  child.on('message', ([n, result]: [number, CommandResult]) => answers[n]?.(result))
  return {
    pets(...command) {
      const { promise, resolve } = Promise.withResolvers<CommandResult>()
      child.send([answers.push(resolve) - 1, ...command])
      return unlessEnded(promise, ended, stderr)
    },
    [Symbol.dispose]: () => child.disconnect(),
  }
}
