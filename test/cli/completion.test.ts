/** `pets completion`: real shells complete what the commands take. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { PLAN_NAMES } from '../../src/contract/plans.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { pets as petsAsProcess } from '../support/service.ts'

const needed = (shell: string) => skipUnless(findProgram(shell) !== undefined, `there is no ${shell}; install it`)

/** What each shell is made to complete: the words so far, of which the last is being typed. */
const CASES: readonly (readonly [
  words: readonly string[],
  includes: readonly string[],
  excludes: readonly string[],
])[] = [
  [
    ['pets', ''],
    ['serve', 'keys', 'import', 'completion'],
    ['create', 'rotate'],
  ],
  [['pets', 'ke'], ['keys'], ['serve']],
  [['pets', 'keys', ''], ['create', 'list', 'revoke', 'rotate'], ['serve']],
  [
    ['pets', 'keys', 'create', '--create', '--p'],
    ['--plan', '--per-minute', '--per-day'],
    ['--label', '--port'],
  ],
  [['pets', 'keys', 'create', '--create', '--plan', ''], PLAN_NAMES, ['--label']],
  [['pets', 'serve', '--log-level', ''], ['debug', 'silent'], ['--port']],
  [['pets', 'keys', 'rotate', 'key_1', '--'], ['--overlap', '--again', '--help'], ['--plan']],
]

describe('pets completion', { concurrency: 2 }, () => {
  const folder = temporaryFolder()

  before(async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout, stderr } = await pets(['completion', shell])
      assert.equal(code, 0, stderr)
      writeFileSync(`${folder}/${shell}`, stdout)
    }
  })

  const check = (complete: (words: readonly string[]) => string) => {
    for (const [words, includes, excludes] of CASES) {
      const last = words.at(-1) ?? ''
      const found = complete(words)
        .split('\n')
        .map((line) => line.split(/[\t:]/)[0] ?? '')
        .filter((word) => word.startsWith(last))
      for (const word of includes) assert(found.includes(word), `${words.join(' ')}: ${word} in ${found}`)
      for (const word of excludes) assert(!found.includes(word), `${words.join(' ')}: ${word} not in ${found}`)
    }
  }
  const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ')
  const run = (shell: string, script: string) => execFileSync(shell, ['-c', script], { encoding: 'utf8', cwd: folder })

  it('is understood by bash', needed('bash'), () =>
    check((words) =>
      run(
        'bash',
        `source ./bash; COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; _pets; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ),
    ),
  )

  it('is understood by zsh', needed('zsh'), () =>
    check((words) =>
      run(
        'zsh',
        `compdef() {}; compadd() { shift; print -l -- "$@" }; _files() {}; _describe() { print -l -- "\${(@P)2}" }
        source ./zsh; words=(${quoted(words)}); CURRENT=${words.length}; _pets`,
      ),
    ),
  )

  it('is understood by fish', needed('fish'), () =>
    check((words) => run('fish', `source ./fish; complete -C '${words.join(' ')}'`)),
  )

  it('completes the name by which the command was started, beside others', needed('bash'), async () => {
    const { stdout } = await petsAsProcess(['completion', 'bash'], { env: { PETS_STARTED_AS: '/opt/pet-adoption' } })
    writeFileSync(`${folder}/other`, stdout)
    const complete = (name: string) =>
      run(
        'bash',
        `source ./bash; source ./other; read -ra spec < <(complete -p ${name}); COMP_WORDS=(${name} keys ro); COMP_CWORD=2
        "\${spec[4]}"; printf '%s' "\${COMPREPLY[@]}"`,
      )
    assert.deepEqual(['pets', 'pet-adoption'].map(complete), ['rotate', 'rotate'])
  })

  it('and the help of all commands load nothing of what commands do: neither service nor engine, nor a reader of lists; the version needs no command', () => {
    const telling = `import { registerHooks } from 'node:module'
      registerHooks({ load(url, ...rest) { process.stderr.write(url + '\\n'); return rest[1](url, rest[0]) } })`
    const hook = ['--import', `data:text/javascript,${encodeURIComponent(telling)}`]
    const heavy =
      /\/(service\/service|animals-file\/read|public-page\/publisher|store\/(sqlite|postgres)\/.*|node_modules\/(fastify|pg|pino|hucre)\/.*)\.[jt]s$/m
    for (const line of ['--help', 'completion bash', '--quiet --version', '-V']) {
      const { status, stderr } = spawnSync(process.execPath, [...hook, 'src/cli/pets.ts', ...line.split(' ')], {
        encoding: 'utf8',
      })
      assert.deepEqual([status, /\/cli\/commands\//.test(stderr)], [0, !/-V|--version/.test(line)])
      assert.equal(heavy.exec(stderr)?.[0], undefined, line)
    }
  })
})
