/** The kit as a program. */
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { main } from './command.ts'

const { stdin, stdout, stderr } = process

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

process.exitCode = await main(process.argv.slice(2), {
  print: async (text) => {
    try {
      writeFileSync(1, text)
    } catch (error) {
      // A reader that has closed the pipe, as `head` does, is no failure.
      if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
    }
  },
  note: (text) => void stderr.write(text),
  ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  hasColour: stdout.isTTY && process.env.NO_COLOR === undefined,
})
