/**
 * Where the first key is shown: on the terminal or, without one, in a file. Not in the log, which is kept and read by
 * others.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Logger } from 'pino'
import { CommandFailed } from './options.ts'
import { print } from './output.ts'

/** Shows the secret. Throws CommandFailed if it cannot. */
export async function showFirstKey(
  secret: string,
  at: { baseUrl: string; database: string; log: Logger },
): Promise<void> {
  if (process.stdout.isTTY) return print(welcome(secret, at.baseUrl))
  const file = fileFor(at.database)
  try {
    mkdirSync(dirname(file), { recursive: true })
    // Create the file anew, so that no other process has it open and its old mode does not apply.
    rmSync(file, { force: true })
    writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(
      `The first key cannot be written to ${file} (${reason}); start without --first-key and use \`pets keys create\`.`,
    )
  }
  at.log.info({ file }, `the first API key is in ${file}; keep it safe, and remove the file`)
}

/** Next to a database file; otherwise where a database file would be by default. */
function fileFor(database: string): string {
  return join(database.startsWith('sqlite:') ? dirname(database.slice('sqlite:'.length)) : 'data', 'first-key')
}

function welcome(secret: string, baseUrl: string): string {
  return `
This is the first API key (Free plan). It is shown only now; keep it safe:

    ${secret}

Try it:

    curl -i -H 'Authorization: Bearer ${secret}' ${baseUrl}/pets

`
}
