/**
 * The process behind commands.ts: runs one `pets` command after the other, as it is told. The program is loaded once;
 * its first file (src/cli/pets.ts) runs anew for each command, with the arguments, variables, folder and streams that
 * it would have as a process.
 */
import { Readable } from 'node:stream'
import type { CommandResult } from '../service.ts'

export interface CommandLine {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly input: string
}

const PETS = new URL('../../../src/cli/pets.ts', import.meta.url)
let commands = 0

process.on('message', async (line: CommandLine) => process.send?.(await run(line)))
/** What the host itself listens to. */
const OWN: readonly (string | symbol)[] = process.eventNames()

async function run({ args, env, cwd, input }: CommandLine): Promise<CommandResult> {
  process.chdir(cwd)
  process.env = { ...env }
  process.argv = [process.execPath, PETS.pathname, ...args]
  process.exitCode = undefined
  Object.defineProperty(process, 'stdin', {
    value: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    configurable: true,
  })
  const stdout = catchText(process.stdout)
  const stderr = catchText(process.stderr)
  commands += 1
  await import(`${PETS.href}?command=${commands}`)
  // With its process a command would end, and with it what it listens to, such as signals.
  for (const name of process.eventNames()) if (!OWN.includes(name)) process.removeAllListeners(name)
  return { code: Number(process.exitCode ?? 0), stdout: stdout(), stderr: stderr() }
}

/** What is written from now on, until it is asked for. */
function catchText(stream: NodeJS.WriteStream): () => string {
  const texts: string[] = []
  stream.removeAllListeners('error')
  stream.write = (text: string | Uint8Array, ...rest: unknown[]) => {
    texts.push(typeof text === 'string' ? text : Buffer.from(text).toString())
    for (const done of rest) if (typeof done === 'function') queueMicrotask(() => done())
    return true
  }
  return () => texts.join('')
}
