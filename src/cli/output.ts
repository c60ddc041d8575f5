/**
 * Standard output and its failures: a closed reader ends the command quietly, a full disk is reported. And notes for
 * people, on standard error.
 */
import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { asTyped } from './command-name.ts'
import { CommandFailed } from './options.ts'

/** The reader of standard output has closed it, as `head` does. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

/**
 * Resolves when the text has been handed to the system. Throws OutputClosed, or CommandFailed if it cannot be written.
 */
export async function print(text: string): Promise<void> {
  try {
    if (process.stdout instanceof Socket) await writeToStream(text)
    // For a file, node's own stream writes once and takes a partial write for a whole one; this continues until all is
    // written.
    else writeFileSync(1, text)
  } catch (error) {
    throw outputFailure(error)
  }
}

/** Tells people what they have to know beside the output: what went wrong, and what may surprise them. */
export function note(text: string): void {
  process.stderr.write(asTyped(text))
}

let isQuiet = false

/** By `--quiet`: no hints and no progress. */
export function beQuiet(does: boolean): void {
  isQuiet = does
}

/** Whether progress is shown: to people, who see standard error in a terminal. */
export function showsProgress(): boolean {
  return process.stderr.isTTY && !isQuiet
}

/** Tells people what they may want to know. */
export function hint(text: string): void {
  if (!isQuiet) note(text)
}

/**
 * For code that writes to the stream directly, such as help texts and the log: without a listener an error would end
 * the process. Only the first failure is reported.
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
