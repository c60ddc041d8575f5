/** Files that `pets import` and `pets sync` are given: what cannot be read is said, and half a file is never taken. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { assertWhole } from '../../../src/cli/commands/animals/file.ts'
import { pets } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { as, NOBODY, otherUserNeeded } from '../../support/other-user.ts'
import { skipUnless } from '../../support/programs.ts'
import { pets as petsProcess } from '../../support/service.ts'

const LIST = 'ref,name,categoryId\nA,Rex,1\n'
/** Memory where nothing is: to read it fails as on a broken disk. */
const FAILING = '/proc/self/mem'
const failingNeeded = skipUnless(existsSync(FAILING), `there is no ${FAILING} on this system`)
const notOnWindows = skipUnless(process.platform !== 'win32', 'Windows has no named pipes in folders')

describe('a file that a command is given', () => {
  const folder = temporaryFolder()
  const file = (name: string) => `${folder}/${name}`
  const database = (name: string) => ['--database', `sqlite:${folder}/${name}.db`]

  it('is not for this user to read: a sentence says so', otherUserNeeded, async () => {
    writeFileSync(file('secret.csv'), LIST)
    chmodSync(file('secret.csv'), 0o600)
    chmodSync(folder, 0o777)
    const args = ['sync', '--create', file('secret.csv'), '--ref', 'ref', ...database('theirs')]
    const { code, stderr } = await petsProcess(args, { launcher: as(NOBODY) })
    assert.equal(code, 1)
    assert.match(stderr, /secret\.csv cannot be read: this user \(nobody\) cannot read it\. Nothing was changed/)
  })

  it('is on a disk that fails: a sentence says so', failingNeeded, async () => {
    const { code, stderr } = await pets(['sync', '--create', FAILING, '--ref', 'ref', ...database('none')])
    assert.equal(code, 1)
    const why = 'its disk reports an error (EIO); check the system log'
    assert(stderr.endsWith(`The file ${FAILING} cannot be read: ${why}. Nothing was changed.\n`), stderr)
  })

  it('may be a pipe with a name, as shells make them', notOnWindows, async () => {
    execFileSync('mkfifo', [file('pipe')])
    writeFileSync(file('list.csv'), LIST)
    const writer = spawn('sh', ['-c', 'cat "$0" > "$1"', file('list.csv'), file('pipe')])
    const args = ['sync', '--create', file('pipe'), '--ref', 'ref', '--yes', ...database('piped')]
    const { stdout, stderr } = await pets(args)
    writer.kill()
    assert.equal(stdout, '1 row: 1 added.\n', stderr)
  })

  it('is refused at the end if someone wrote to it while it was read', async () => {
    writeFileSync(file('growing.csv'), LIST)
    const opened = await open(file('growing.csv'))
    const before = await opened.stat()
    await assertWhole(opened, before)
    appendFileSync(file('growing.csv'), 'B')
    await assert.rejects(assertWhole(opened, before), /changed while it was read\. Nothing was done\. Try again/)
    await opened.close()
  })
})
