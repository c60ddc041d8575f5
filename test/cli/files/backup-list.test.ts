/** `pets backups`: lists what can be restored, with size and date, and removes nothing else. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { it } from 'node:test'
import { assertRefused, linesOf, pets } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'

it('lists backups and copies from before a restore, removes one of them, and refuses every other file', async () => {
  const folder = temporaryFolder()
  const env = { PETS_DATABASE: `sqlite:${folder}/pets.db`, PETS_BACKUP_DIR: `${folder}/backups` }
  const run = (...args: string[]) => pets(args, { env })
  assert.match((await run('backups')).stderr, /^There are no backups\./)
  await pets(['import', '-', '--create'], { env, input: 'name,categoryId\nRex,1\n' })
  mkdirSync(`${folder}/backups`)
  const backup = `${folder}/backups/by-hand.db`
  await run('backup', backup)
  await run('restore', backup)
  writeFileSync(`${folder}/backups/notes.txt`, '')
  const listed = linesOf<{ file: string; bytes: number; madeAt: string }>((await run('backups', '--json')).stdout)
  const copy = listed.find(({ file }) => file !== backup)?.file ?? ''
  assert.equal(listed.length, 2)
  assert(copy.startsWith(`${folder}/pets.db.before-restore-`), copy)
  assert(listed.every(({ bytes, madeAt }) => bytes > 0 && /^20.*Z$/.test(madeAt)))
  assert.match((await run('backups')).stdout, /^MADE +SIZE +FILE\n20\S+Z +\d\.\d MiB +\/.*\n20/)
  for (const file of [`${folder}/pets.db`, `${folder}/backups/notes.txt`, 'none.db']) {
    assertRefused(await run('backups', 'remove', file), /is not a backup of this database\..*Nothing was removed\.\n$/)
  }
  assert.deepEqual(await run('backups', 'remove', copy), { code: 0, stdout: `${copy} was removed.\n`, stderr: '' })
  assert(!existsSync(copy) && existsSync(backup))
})
