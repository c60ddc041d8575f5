/** The folder of the public page: what stays untouched in it, what is refused, and what a run that was cut off left. */
import assert from 'node:assert/strict'
import fs, { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  FolderUnusable,
  GENERATOR,
  NAMES,
  type NewFile,
  prepareFolder,
  writeFiles,
} from '../../src/public-page/folder.ts'
import { pets } from '../support/commands/commands.ts'
import { diskNeeded, startFaultyDisk } from '../support/disk/disk.ts'
import { newDatabase, temporaryFolder } from '../support/folder.ts'
import { as, NOBODY, otherUserNeeded } from '../support/other-user.ts'
import { pets as petsOfProcess } from '../support/service.ts'

function filesOf(text: string, list = text): readonly NewFile[] {
  return NAMES.map((name) => {
    return [name, name === 'animals.json' ? list : `<!-- ${GENERATOR} -->${text}`]
  })
}

const PAGE: NewFile = ['animal/0/1.html', GENERATOR]

const write = (folder: string, files: readonly NewFile[]) => writeFiles(folder, () => files, 0)

const refused = (reason: RegExp) => (error: unknown) => error instanceof FolderUnusable && reason.test(error.message)

describe('the folder of the public page', () => {
  it('is created readable for everyone, whatever the umask', () => {
    const folder = join(temporaryFolder(), 'site', 'animals')
    const before = process.umask(0o077)
    try {
      assert.deepEqual(write(folder, [PAGE, ...filesOf('one')]), [PAGE[0], ...NAMES])
    } finally {
      process.umask(before)
    }
    assert.equal(statSync(folder).mode & 0o777, 0o755)
    for (const name of [...NAMES, PAGE[0]]) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o644, name)
  })

  it('is not touched if nothing has changed', () => {
    const folder = temporaryFolder()
    write(folder, filesOf('one'))
    const times = () => ['.', ...NAMES].map((name) => statSync(join(folder, name), { bigint: true }).mtimeNs)
    const before = times()
    assert.deepEqual(write(folder, filesOf('one')), [])
    assert.deepEqual(times(), before)
    assert.deepEqual(write(folder, filesOf('one', 'two')), ['animals.json'])
    assert.deepEqual(times().slice(1, -1), before.slice(1, -1))
  })

  it('keeps links, files of others, and their modes', () => {
    const [folder, parent] = [temporaryFolder(), temporaryFolder()]
    const link = join(parent, 'current')
    symlinkSync(folder, link)
    const others = ['photo.jpg', '.htaccess', 'animals.csv.bak', '.index.html.swp']
    for (const name of others) writeFileSync(join(folder, name), 'mine')
    write(link, filesOf('one'))
    chmodSync(join(folder, 'index.html'), 0o640)
    write(link, filesOf('two'))
    assert.deepEqual(readdirSync(folder).sort(), [...others, ...NAMES].sort())
    for (const name of others) assert.equal(readFileSync(join(folder, name), 'utf8'), 'mine')
    assert.equal(statSync(join(folder, 'index.html')).mode & 0o777, 0o640)
  })

  it('is refused for what it is if its file system has no permissions, as FAT', (t) => {
    const { mock } = t.mock.method(fs, 'chmodSync', () => {
      throw Object.assign(new Error('EPERM: operation not permitted, chmod'), { code: 'EPERM', syscall: 'chmod' })
    })
    syncBuiltinESMExports()
    t.after(() => {
      mock.restore()
      syncBuiltinESMExports()
    })
    const folder = temporaryFolder()
    assert.throws(() => write(folder, filesOf('one')), refused(/its file system has no permissions/))
    assert.deepEqual(readdirSync(folder), [])
  })

  it('is refused if a file of someone else has a name of the page', () => {
    for (const name of NAMES) {
      const folder = temporaryFolder()
      writeFileSync(join(folder, name), 'mine')
      for (const attempt of [() => prepareFolder(folder), () => write(folder, filesOf('one'))]) {
        assert.throws(
          attempt,
          refused(new RegExp(`the ${name} in it was not written by this command; use another folder`)),
        )
      }
      assert.deepEqual(readdirSync(folder), [name])
      assert.equal(readFileSync(join(folder, name), 'utf8'), 'mine')
    }
    const folder = temporaryFolder()
    write(folder, filesOf('one'))
    writeFileSync(join(folder, 'index.html'), 'the home page of the shelter')
    assert.throws(() => write(folder, filesOf('two')), refused(/the index\.html in it was not written by this command/))
    assert.equal(readFileSync(join(folder, 'feed.atom'), 'utf8').endsWith('one'), true, 'nothing is done by half')
  })

  it('rewrites a page that a power failure emptied, and refuses a file of someone else', () => {
    const folder = temporaryFolder()
    const page = join(folder, PAGE[0])
    const again = () => write(folder, [PAGE, ...filesOf('one')])
    again()
    for (const lost of ['', '\0'.repeat(5_000)]) {
      writeFileSync(page, lost)
      assert.deepEqual(again(), [PAGE[0]])
      assert.equal(readFileSync(page, 'utf8'), GENERATOR)
    }
    writeFileSync(page, 'mine')
    assert.throws(again, refused(/the animal\/0\/1\.html in it was not written by this command/))
  })

  it('loses the pages of former animals, and the folder of 2.1', () => {
    const folder = temporaryFolder()
    write(folder, [PAGE, ...filesOf('one')])
    writeFileSync(join(folder, 'animal/0/.pages'), 'signature')
    write(folder, filesOf('one'))
    assert.deepEqual(readdirSync(join(folder, 'animal')), [])
  })

  it('loses the files of an interrupted run', () => {
    const folder = temporaryFolder()
    write(folder, filesOf('one'))
    mkdirSync(join(folder, '.publishing-abcdef'))
    writeFileSync(join(folder, '.publishing-abcdef/0'), 'half')
    write(folder, filesOf('one'))
    assert.deepEqual(readdirSync(folder).sort(), [...NAMES].sort())
  })
})

describe('`pets publish` says in one sentence why it cannot', () => {
  const database = newDatabase()
  const sentence = (reason: string, folder: string) => `The public page cannot be written to ${folder}: ${reason}.\n`

  it('write to a file, or below one', async () => {
    await pets(['import', '--create', '-', '--database', database], { input: 'name,categoryId\nRex,1\n' })
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, 'mine')
    for (const folder of [file, join(file, 'animals')]) {
      const { code, stderr } = await pets(['publish', folder, '--database', database])
      assert.deepEqual([code, stderr], [1, sentence('it is a file, or is inside a file; use a folder', folder)])
    }
    assert.equal(readFileSync(file, 'utf8'), 'mine')
  })

  it('write to a full disk, and leaves all as it was', diskNeeded, async () => {
    const folder = temporaryFolder()
    write(folder, filesOf('one'))
    for (const faults of [{ writes: 1 }, { syncs: 1 }]) {
      using disk = startFaultyDisk({ files: [`${folder}/*`] })
      disk.fail({ ...faults, error: 'ENOSPC' })
      const { code, stderr } = await petsOfProcess(['publish', folder, '--database', database], { env: disk.env })
      assert.deepEqual([code, stderr], [1, sentence('the disk is full; free some space', folder)])
      assert.deepEqual(readdirSync(folder).sort(), [...NAMES].sort())
      for (const name of NAMES) assert.match(readFileSync(join(folder, name), 'utf8'), /one$/)
    }
  })

  it('write to the folder of another user', otherUserNeeded, async () => {
    const folder = temporaryFolder()
    const home = temporaryFolder()
    chmodSync(folder, 0o755)
    chmodSync(home, 0o777)
    const own = `sqlite:${join(home, 'pets.db')}`
    const user = { launcher: as(NOBODY), cwd: home }
    await petsOfProcess(['import', '--create', '-', '--database', own], { input: 'name,categoryId\nRex,1\n', ...user })
    const { code, stderr } = await petsOfProcess(['publish', folder, '--database', own], user)
    const reason = 'this user cannot write there; make this user the owner of the folder and of the page in it'
    assert.deepEqual([code, stderr], [1, sentence(reason, folder)])
    assert.deepEqual(readdirSync(folder), [])
  })
})
