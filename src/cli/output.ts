/** Standard output, and what its failures mean: a reader that went away ends the command quietly, a full disk is told. */
import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { CommandFailed } from './options.ts'

/** Whoever read standard output has closed it, as `head` does when it has seen enough. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

/** Resolves when the text has left this process. Throws OutputClosed, or CommandFailed when the text cannot be written. */
export async function print(text: string): Promise<void> {
  try {
    if (process.stdout instanceof Socket) await writeToStream(text)
    // To a file node's own stream writes once and takes a part for the whole; this goes on until all is written.
    else writeFileSync(1, text)
  } catch (error) {
    throw outputFailure(error)
  }
}

/**
 * For what writes to the stream itself, such as help texts and the log: without a listener its failure would end the process.
 * Of many failures the first is told.
 */
export function watchOutput(onFailure: (failure: Error) => void): void {
  let failed = false
  process.stdout.on('error', (error) => {
    if (!failed) onFailure(outputFailure(error))
    failed = true
  })
  process.stderr.on('error', () => {})
}

function writeToStream(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

function outputFailure(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EPIPE' || code === 'ECONNRESET') return new OutputClosed('Standard output is closed.')
  const reason = code === 'ENOSPC' ? 'there is no space left' : error instanceof Error ? error.message : String(error)
  return new CommandFailed(`Standard output cannot be written: ${reason}.`)
}
