/** What 3.0 removed: refused when it is typed, reported when it is a setting. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { variableOf } from '../../src/cli/options.ts'
import { REMOVED, REMOVED_SETTINGS as SETTINGS } from '../../src/cli/removed.ts'
import { openStore } from '../../src/store/open.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { call } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { patientClock } from '../support/time/clock.ts'

const sentenceOf = (what: string, instead: string) => `${what} was removed in 3.0${instead && `: ${instead}`}.`

describe('a removed name', () => {
  for (const [typed, instead] of Object.entries(REMOVED)) {
    it(`is refused on the command line: ${typed}`, async () => {
      const flag = /--.+/.exec(typed)?.[0]
      const refusal = { code: 2, stdout: '', stderr: `${sentenceOf(flag ?? `\`pets ${typed}\``, instead)}\n` }
      const ofFlag = flag?.includes(' ') ? [typed, typed.replace(/ (?=\S+$)/, '=')] : [`${typed} 1`, `${typed}=1`]
      const spellings = flag === undefined ? [typed, `help ${typed}`, `--quiet ${typed} --x`] : ofFlag
      for (const line of spellings) assert.deepEqual(await pets(line.split(' ')), refusal, line)
    })
  }

  it('is accepted as an argument after --', async () => {
    assert.doesNotMatch((await pets(['keys', '--', 'completion'])).stderr, /was removed/)
  })
})

describe('a removed setting', () => {
  it('causes a warning and a finding, in the settings file and as a variable', async () => {
    const file = `${temporaryFolder()}/pets.conf`
    writeFileSync(file, SETTINGS.map((name) => `${name} = 1\n`).join(''))
    const env = Object.fromEntries(SETTINGS.map((name) => [variableOf(name), '1']))
    await using service = await startService({ env, args: ['--config', file] })
    const { findings } = JSON.parse((await call(service.operatorPort, { path: '/readyz' })).body) as {
      readonly findings: readonly { readonly kind: string; readonly sentence: string }[]
    }
    for (const [at, name] of SETTINGS.entries()) {
      for (const where of [`variable ${variableOf(name)}`, `setting ${name} in line ${at + 1} of ${file}`]) {
        const sentence = sentenceOf(`The ${where}`, REMOVED[`serve --${name}`] ?? '')
        assert.match(service.output(), new RegExp(`"level":"warn".*"msg":"${RegExp.escape(sentence)}"`))
        assert(
          findings.some((finding) => finding.kind === 'look at it' && finding.sentence === sentence),
          sentence,
        )
      }
    }
  })

  it('gives its value to Settings if it is shelter-name, unless Settings have a name', async () => {
    const database = `sqlite:${temporaryFolder()}/pets.db`
    for (const name of ['Harbour', 'Other']) {
      await using _service = await startService({ database, operatorPort: 'none', env: { PETS_SHELTER_NAME: name } })
    }
    const store = await openStore(database, { serving: false, clock: patientClock, mustExist: true })
    assert.deepEqual(await store.words.shelter(), { name: 'Harbour' })
    await store.close()
  })
})
