/** Examples at the end of a command's help, as they can be typed here. */
import { COMMAND } from './command-name.ts'

/** For `addHelpText('after', …)`. Each is a line for a shell in which the program is called `pets`. */
export function examples(...lines: readonly string[]): string {
  const typed = lines.map((line) => `  ${line.replaceAll(/(^|\| )pets /g, `$1${COMMAND} `)}`)
  return `\n${typed.length === 1 ? 'Example' : 'Examples'}:\n${typed.join('\n')}`
}
