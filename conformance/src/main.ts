/** The kit as a program of its own, without the service. */
import { writeFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { clientCommand } from './clients/command.ts'
import { checkCommand } from './command.ts'
import { KIT_VERSION, SUITE_VERSION } from './suite.ts'

const WRONG_USAGE = 2

class Failure extends Error {}

/** A reader that has closed the pipe, as `head` does, is no failure. */
async function print(text: string): Promise<void> {
  try {
    writeFileSync(1, text)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EPIPE') throw new Failure(`Standard output cannot be written: ${String(code)}.`)
  }
}

const surroundings = { print, failure: (sentence: string) => new Failure(sentence) }
const check = checkCommand(surroundings)
const client = clientCommand('client', surroundings)
check.name('pet-adoption-conformance').version(`kit ${KIT_VERSION}, suite ${SUITE_VERSION}`).exitOverride()
client.exitOverride()

try {
  if (process.argv[2] === 'client') await client.parseAsync(process.argv.slice(3), { from: 'user' })
  else await check.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE
  else {
    const text = error instanceof Error ? (error instanceof Failure ? error.message : error.stack) : error
    process.stderr.write(`${text}\n`)
    process.exitCode = 1
  }
}
