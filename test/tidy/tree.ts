/** The files of the tree as git knows them, for the tests that hold it tidy. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

/** Paths from the root, with `/`. Files that git does not track, such as a backup, belong to the user of the clone. */
export const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .trimEnd()
  .split('\n')
  .filter((file) => existsSync(`${ROOT}/${file}`))

const texts = new Map<string, string>()

/** The text of a file, read once. */
export function read(file: string): string {
  const text = texts.get(file) ?? readFileSync(`${ROOT}/${file}`, 'utf8')
  texts.set(file, text)
  return text
}
