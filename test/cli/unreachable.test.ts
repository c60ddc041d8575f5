/** A path that cannot be reached is reported with its obstacle, and never as missing. */
import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { whyUnreachable } from '../../src/common/paths.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { otherUserNeeded } from '../support/other-user.ts'
import { startNobody } from './as-nobody.ts'

const NAMED: Readonly<Record<string, (path: string) => readonly string[]>> = {
  '--database': (path) => ['keys', 'list', '--database', `sqlite:${path}`],
  '--database of a new one': (path) => ['keys', 'create', '--plan', 'free', '--create', '--database', `sqlite:${path}`],
  verify: (path) => ['verify', '--database', `sqlite:${path}`],
  health: (path) => ['health', '--database', `sqlite:${path}`],
  'backup of': (path) => ['backup', '/tmp/none.db', '--database', `sqlite:${path}`],
  restore: (path) => ['restore', path, '--database', 'sqlite:/tmp/none.db'],
  'restore to': (path) => ['restore', import.meta.filename, '--database', `sqlite:${path}`],
  'copy --from': (path) => ['copy', '--from', `sqlite:${path}`, '--to', 'sqlite:/tmp/none.db'],
  import: (path) => ['import', path, '--create', '--database', 'sqlite:/tmp/none.db'],
  '--config': (path) => ['keys', 'list', '--config', path],
  '--tls-cert': (path) => ['serve', '--port', '0', '--tls-cert', path, '--tls-key', path],
}

describe('a path that cannot be reached', { concurrency: 2 }, () => {
  const folder = temporaryFolder()
  writeFileSync(`${folder}/file`, '')
  symlinkSync('loop', `${folder}/loop`)

  for (const [name, args] of Object.entries(NAMED)) {
    it(`${name}: a file on the way, a link in a circle`, async () => {
      for (const [path, sentence] of [
        [`${folder}/file/in/x`, `${folder}/file is a file, not a folder; check the path`],
        [`${folder}/loop/x`, 'it leads through a loop of links'],
      ] as const) {
        const { code, stderr } = await pets(args(path))
        assert.ok(code === 1 || code === 2, stderr)
        assert.ok(stderr.includes(sentence), stderr)
      }
    })
  }

  it('is reported as a folder that this user cannot enter', otherUserNeeded, async () => {
    using nobody = startNobody()
    for (const [name, args] of Object.entries(NAMED)) {
      const locked = temporaryFolder()
      const { stderr } = await nobody.pets(args(`${locked}/in/x`))
      assert.ok(stderr.includes(`this user (nobody) cannot enter the folder ${locked};`), `${name}: ${stderr}`)
    }
  })

  it('is distinguished from a failing disk', () => {
    const error = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    assert.match(whyUnreachable(error, '/x') ?? '', /its disk reports an error/)
  })
})
