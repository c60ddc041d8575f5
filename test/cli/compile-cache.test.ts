/** Compiled code is kept only by users who could change the program anyway. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'
import { as, NOBODY, otherUserNeeded } from '../support/other-user.ts'
import { pets } from '../support/service.ts'

const CACHE = 'node_modules/.pets-compile-cache'

/** A program that everyone can read, with a shared temporary folder, started with umask 000. */
function newProgram() {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'node_modules'))
  const shared = join(folder, 'tmp')
  mkdirSync(shared)
  chmodSync(shared, 0o1777)
  cpSync(join(import.meta.dirname, '../../src/cli/compile-cache.js'), join(folder, 'src/cli/compile-cache.js'))
  const start = `import { keepCompiledCode } from '${folder}/src/cli/compile-cache.js'
    keepCompiledCode()
    process.stdout.write(process.getBuiltinModule('node:module').getCompileCacheDir() ?? '')`
  const run = (...launcher: readonly string[]) =>
    execFileSync(
      'sh',
      ['-c', 'umask 000; exec "$@"', 'sh', ...launcher, process.execPath, '--input-type=module', '-e', start],
      { encoding: 'utf8', env: { TMPDIR: shared } },
    )
  const assertNoneShared = () => assert.deepEqual(readdirSync(shared), [])
  return { folder, run, assertNoneShared }
}

describe('the compile cache', () => {
  it('is private to a user who can write the program, whatever the umask', () => {
    const { folder, run, assertNoneShared } = newProgram()
    for (const start of ['first', 'second']) {
      assert(run().startsWith(join(folder, CACHE)), start)
      assert.equal(lstatSync(join(folder, CACHE)).mode & 0o777, 0o700)
    }
    assertNoneShared()
  })

  it('does not exist for a user who cannot write the program', otherUserNeeded, () => {
    const { folder, run, assertNoneShared } = newProgram()
    assert.equal(run(...as(NOBODY)), '')
    assert(!existsSync(join(folder, CACHE)))
    assert.notEqual(run(), '')
    assert.equal(run(...as(NOBODY)), '')
    assertNoneShared()
  })

  it('does not exist for a user without name and HOME, for whom commands still run', otherUserNeeded, async () => {
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
    await run('keys', 'list', ...database)
    const tilde = await pets(['verify', '--database', 'sqlite:~/pets.db'], { launcher: nameless, cwd: home })
    assert.deepEqual(tilde.stderr, 'This user has no home folder, so ~ cannot be used. Write an absolute path.\n')
  })
})
