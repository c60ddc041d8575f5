/** Compiled code is kept only where nobody else can write code. */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { describe, it } from 'node:test'
import { privateFolder } from '../../src/cli/compile-cache.js'
import { temporaryFolder } from '../support/folder.ts'
import { as, otherUserNeeded } from '../support/other-user.ts'
import { skipUnless } from '../support/programs.ts'
import { pets } from '../support/service.ts'

const rootNeeded = skipUnless(process.getuid?.() === 0, 'only root can give a folder to somebody else')
const NOBODY = 65_534

describe('the folder of the compile cache', () => {
  const folder = temporaryFolder()
  const newFolder = (name: string, mode = 0o755) => {
    mkdirSync(`${folder}/${name}`)
    chmodSync(`${folder}/${name}`, mode)
    return `${folder}/${name}`
  }

  it('is made for this user alone', () => {
    const made = privateFolder(newFolder('mine'), 'cache')
    assert(made !== undefined)
    assert.match(made, /\/mine\/cache$/)
    assert.equal(lstatSync(made).mode & 0o777, 0o700)
    assert.equal(privateFolder(`${folder}/mine`, 'cache'), made, 'and found again')
    assert(privateFolder(newFolder('sticky', 0o1777), 'cache'), 'nobody can rename it there')
  })

  it('is not used when others can write it, or anything above it', () => {
    const open = newFolder('open', 0o777)
    assert.equal(privateFolder(open, 'cache'), undefined)
    mkdirSync(`${open}/below`)
    assert.equal(privateFolder(`${open}/below`, 'cache'), undefined)
    const group = newFolder('group', 0o775)
    assert.equal(privateFolder(group, 'cache'), undefined)
    const loose = newFolder('loose')
    mkdirSync(`${loose}/cache`)
    chmodSync(`${loose}/cache`, 0o770)
    assert.equal(privateFolder(loose, 'cache'), undefined)
    const linked = newFolder('linked')
    symlinkSync(open, `${linked}/cache`)
    assert.equal(privateFolder(linked, 'cache'), undefined, 'a link is not followed')
  })

  it('is not used when it, or a folder above it, is somebody else’s', rootNeeded, () => {
    const sticky = newFolder('prepared', 0o1777)
    mkdirSync(`${sticky}/cache`, { mode: 0o700 })
    chownSync(`${sticky}/cache`, NOBODY, NOBODY)
    assert.equal(privateFolder(sticky, 'cache'), undefined)
    const theirs = newFolder('theirs')
    chownSync(theirs, NOBODY, NOBODY)
    assert.equal(privateFolder(theirs, 'cache'), undefined)
  })

  it('is never in the temporary folder that everybody shares', async () => {
    const shared = newFolder('tmp', 0o1777)
    const { code } = await pets(['--version'], { env: { TMPDIR: shared, TEMP: shared, TMP: shared } })
    assert.equal(code, 0)
    assert.deepEqual(readdirSync(shared), [])
  })

  it(
    'is none where a user has neither name nor HOME, and every command runs all the same',
    otherUserNeeded,
    async () => {
      const { PATH = '' } = process.env
      const nameless = ['env', '-i', `PATH=${PATH}`, ...as(54_321)] as const
      const home = temporaryFolder()
      chmodSync(home, 0o777)
      const run = async (...args: string[]) => {
        const { code, stderr } = await pets(args, { launcher: nameless, cwd: home })
        assert.deepEqual([code, stderr], [0, ''], args.join(' '))
      }
      const database = ['--database', `sqlite:${home}/pets.db`]
      await run('--quiet', 'keys', 'create', '--plan', 'free', '--create', ...database)
      await run('journal', ...database)
      const tilde = await pets(['verify', '--database', 'sqlite:~/pets.db'], { launcher: nameless, cwd: home })
      assert.deepEqual(tilde.stderr, 'This user has no home folder, so ~ is none: write the path from the root.\n')
    },
  )
})
