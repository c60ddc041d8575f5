/** Folders whose file system cannot sync them. /proc is one on every Linux. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fsyncFolder } from '../../src/common/fsync.ts'

describe('syncing a folder', () => {
  it('succeeds if its file system cannot do that', { skip: !existsSync('/proc') && 'there is no /proc' }, () => {
    fsyncFolder('/proc')
  })

  it('throws any other error of the system', () => {
    assert.throws(() => fsyncFolder('/does/not/exist'), { code: 'ENOENT' })
  })
})
