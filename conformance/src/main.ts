/** The kit as a program. */
import { main } from './command.ts'

// A reader such as `head` closes the pipe early.
process.stdout.on('error', () => {})
process.exitCode = await main(process.argv.slice(2), {
  print: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
})
