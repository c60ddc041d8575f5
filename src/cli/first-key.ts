/** Shows the first key and the first operator's invite link on the terminal or in a file, but never in the log. */
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Logger } from 'pino'
import { fsyncFolder } from '../common/fsync.ts'
import { accessOf, createFile, createFolder } from '../common/private-files.ts'
import type { Cli } from './cli.ts'
import { CommandFailed } from './options.ts'

interface FirstKeyOutput {
  readonly cli: Cli
  readonly database: string
  readonly log: Logger
}

/** Throws CommandFailed. */
export async function showFirstKey(secret: string, at: FirstKeyOutput & { readonly baseUrl: string }): Promise<void> {
  if (at.cli.io.stdout.isTTY) {
    const call = `curl -i -H 'Authorization: Bearer ${secret}' ${at.baseUrl}/pets`
    const head = 'This is the first API key (Free plan). It is shown only now; keep it safe:'
    return at.cli.print(`\n${head}\n\n    ${secret}\n\nTry it:\n\n    ${call}\n\n`)
  }
  const file = write('first-key', secret, at, 'The first key', '`pets keys create`')
  at.log.info({ file }, `the first API key is in ${file}; keep it safe, and remove the file`)
}

/** Throws CommandFailed. */
export async function showFirstInvitation(link: string, at: FirstKeyOutput & { readonly name: string }): Promise<void> {
  const { cli, name, log } = at
  if (cli.io.stdout.isTTY) {
    const head = `This link is for the first operator of the office, called ${name}.`
    return cli.print(`\n${head} It works once, for 24 hours, and is shown only now:\n\n    ${link}\n\n`)
  }
  const file = write('first-invitation', link, at, 'The invite link for the first operator', '`pets people invite`')
  log.info({ file }, `the invite link for ${name} is in ${file}; it works once, within 24 hours`)
}

/** Returns the path of the file, which only this user can read. */
function write(name: string, text: string, at: FirstKeyOutput, what: string, use: string): string {
  const { cli, database } = at
  const [, sqlite] = /^sqlite:(.*)$/s.exec(database) ?? []
  const file = join(sqlite === undefined ? cli.path('data') : dirname(sqlite), name)
  try {
    createFolder(dirname(file))
    // Replaced, so that no process has it open and its mode is new.
    rmSync(file, { force: true })
    if (!createFile(file, accessOf(file))) throw new Error('another process has just created it')
    writeFileSync(file, `${text}\n`, { flag: 'r+', flush: true })
    // The key is stored next and would be lost with the file's name in a power failure.
    fsyncFolder(dirname(file))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const instead = `start without --first-key and use ${use}`
    throw new CommandFailed(`${what} cannot be written to ${file} (${reason}); ${instead}.`)
  }
  return file
}
