/** The kit as a program. */
import { writeFileSync } from 'node:fs'
import { main } from './command.ts'

process.exitCode = await main(process.argv.slice(2), {
  print(text) {
    try {
      writeFileSync(1, text)
    } catch (error) {
      // A reader that has closed the pipe, as `head` does, is no failure.
      if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
    }
  },
  note: (text) => void process.stderr.write(text),
})
