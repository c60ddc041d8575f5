/** The kit as a program of its own: `pets check` under another name, without the rest of the service. */
import { CommanderError } from 'commander'
import { check } from '../src/cli/check.ts'
import { KIT_VERSION, SUITE_VERSION } from '../src/conformance/suite.ts'

const WRONG_USAGE = 2

check.name('pet-adoption-conformance').version(`kit ${KIT_VERSION}, suite ${SUITE_VERSION}`).exitOverride()

try {
  await check.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE
  else {
    process.stderr.write(
      `${error instanceof Error ? (error.name === 'CommandFailed' ? error.message : error.stack) : String(error)}\n`,
    )
    process.exitCode = 1
  }
}
