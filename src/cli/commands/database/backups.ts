/** `pets backups`: scheduled backups, and the copies that an upgrade or a restore left next to the database. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { databaseFile } from '../../../store/open.ts'
import type { Cli } from '../../cli.ts'
import { command, group, rowsOf } from '../../command.ts'
import { CommandFailed } from '../../options.ts'
import { serviceSettings } from '../../settings.ts'
import { sizeOf, toIso } from '../../table.ts'

interface Backup {
  readonly file: string
  readonly bytes: number
  readonly madeAt: string | undefined
}

export const backups = group('List the backups and the copies from before upgrades and restores, or remove one.', {
  list: command({
    about: 'List the backups and the copies from before upgrades and restores, oldest first.',
    examples: ['pets backups', 'pets backups --json'],
    json: 'output as JSON, one object a line',
    async action({ cli }, { database }) {
      return rowsOf<Backup, Backup>({
        rows: backupsOf(cli, database),
        toJson: (backup) => backup,
        columns: { MADE: 'madeAt', SIZE: ({ bytes }) => sizeOf(bytes), FILE: 'file' },
        none: 'There are no backups. The setting backup-dir makes the service create them.\n',
      })
    },
  }),

  remove: command({
    about: 'Remove a backup or a copy that `pets backups` lists.',
    examples: ['pets backups remove /var/lib/pets/pets.db.before-upgrade-2026-11-21T120000Z'],
    takes: (command) => command.argument('<file>', 'path of the backup, as `pets backups` shows it'),
    async action({ cli }, file, { database }) {
      const path = cli.path(file)
      if (!backupsOf(cli, database).some((backup) => backup.file === path)) {
        throw new CommandFailed(
          `${file} is not a backup of this database. \`pets backups\` lists them. Nothing was removed.`,
        )
      }
      rmSync(path)
      return `${file} was removed.\n`
    },
  }),
})

function backupsOf(cli: Cli, database: string): readonly Backup[] {
  const file = databaseFile(cli.databaseUrl(database))
  if (file === undefined) return []
  const { backupDir } = serviceSettings(cli)
  const copies = filesIn(dirname(file), (name) => name.startsWith(`${basename(file)}.before-`))
  // The default is the folder of `npm start`.
  const folder = backupDir === undefined ? join(dirname(file), 'backups') : cli.path(backupDir)
  const others = filesIn(folder, (name) => name.endsWith('.db'))
  return [...copies, ...others].toSorted((a, b) => ((a.madeAt ?? '') < (b.madeAt ?? '') ? -1 : 1))
}

function filesIn(folder: string, isBackup: (name: string) => boolean): readonly Backup[] {
  try {
    return readdirSync(folder)
      .filter(isBackup)
      .map((name) => {
        const file = join(folder, name)
        const { size, mtimeMs } = statSync(file)
        return { file, bytes: size, madeAt: toIso(mtimeMs) }
      })
  } catch {
    return [] // There is no folder yet.
  }
}
