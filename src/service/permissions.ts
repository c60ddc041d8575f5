/**
 * Which files of a database others may read, and the command that ends that. What this version makes is for its owner;
 * what an earlier one made, or somebody copied, need not be. A reader has the hashes of keys and passphrases, and a
 * lock of a reader stops every create.
 */

import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { realFile, statsOf } from '../common/paths.ts'
import { isAccessibleToOthers } from '../common/private-files.ts'

interface BackupAccess {
  /** The folder of the service's own backups. */
  readonly backups: string | undefined
  /** The number of the group that may read them. */
  readonly fileGroup: number | undefined
}

/** One sentence; undefined when nothing is exposed. */
export function exposed(path: string, { backups, fileGroup }: BackupAccess): string | undefined {
  const file = realFile(path)
  const isExposed = (kind: 'isFile' | 'isDirectory') => (name: string) => {
    const stats = statsOf(name)
    return stats?.[kind]() === true && isAccessibleToOthers(stats, fileGroup)
  }
  const ownFiles = filesIn(dirname(file), (name) => name.startsWith(basename(file)))
  const backupFiles = filesIn(backups, (name) => name.startsWith(`${basename(file, extname(file))}-`))
  const files = [...ownFiles, ...backupFiles].filter(isExposed('isFile'))
  // A folder that holds other things as well is left to its owner.
  const folders = [isOwnFolder(file) ? dirname(file) : undefined, backups]
    .filter((folder) => folder !== undefined)
    .filter(isExposed('isDirectory'))
  if (files.length + folders.length === 0) return undefined
  const commands = [command(folders, '700', '750', fileGroup), command(files, '600', '640', fileGroup)]
  return `other users of this machine may read the database or its copies; end that with: ${commands.filter((line) => line !== '').join(' && ')}`
}

function filesIn(folder: string | undefined, isOurs: (name: string) => boolean): readonly string[] {
  if (folder === undefined) return []
  try {
    return readdirSync(folder)
      .filter(isOurs)
      .map((name) => join(folder, name))
  } catch {
    return [] // there is none yet
  }
}

function isOwnFolder(file: string): boolean {
  const names = filesIn(dirname(file), () => true).map((name) => basename(name))
  return names.every((name) => name.startsWith(basename(file)) || name === 'first-key' || name === 'first-invitation')
}

function command(paths: readonly string[], mode: string, groupMode: string, group: number | undefined): string {
  if (paths.length === 0) return ''
  const quoted = paths.map((path) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)).join(' ')
  return group === undefined ? `chmod ${mode} ${quoted}` : `chgrp ${group} ${quoted} && chmod ${groupMode} ${quoted}`
}
