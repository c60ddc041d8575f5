/** The progress bar, in a real terminal. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'
import { inTerminal, terminalNeeded } from './terminal.ts'

/** The terminal breaks long lines again, which it does not while there is a bar. */
const WRAPPED = '\u001b[?7h'
/** The line is empty. */
const ERASED = '\u001b[2K'

describe('a progress bar', terminalNeeded, () => {
  it('is gone when Ctrl-C ends the command, and the terminal is as it was', async () => {
    const { shown, type, code } = inTerminal('import', '-', '--database', `sqlite:${temporaryFolder()}/pets.db`)
    await until('the bar is there', () => shown().includes('importing'))
    type('\u0003')
    assert.equal(await code(), 128 + 2)
    const after = shown().slice(shown().lastIndexOf('importing'))
    for (const sequence of [WRAPPED, ERASED]) assert.ok(after.includes(sequence), JSON.stringify(after))
  })
})
