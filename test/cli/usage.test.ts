/** Wrong usage of every command: exit code 2, one sentence on standard error, and nothing is done. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { it } from 'node:test'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder()
let files = 0
const fileOf = (text: string | Buffer) => {
  files += 1
  writeFileSync(`${folder}/${files}.conf`, text)
  return `${folder}/${files}.conf`
}

/** A command, one of its options, and invalid values. */
const VALUES = `
  keys create --plan gold
  keys create --per-minute 0
  keys create --per-day 9007199254740992 five
  keys create --expires tomorrow 2999-02-31 2999-01-01T10:00
  keys rotate key_1 --overlap -5
  export --format xml
  people invite Ada --role king
  serve --port 65536 http
  serve --operator-port -1 0.0.0.0:x
  serve --anonymous-per-minute 0
  serve --body-limit 1MB
  serve --trust-proxy localhost 10.0.0.0/33
  serve --public-url https://pets.example pets.example/v1
  serve --cors-origin https://a.example/ https://*.example
  serve --ban 0/60s/10m 20/25h/10m 20/60s
  serve --backup-every 1h/0
  serve --office http://office.example https://office.example/x
  serve --log-level loud`

it('an invalid value of an option is reported with the option', async () => {
  for (const line of VALUES.trim().split(/\n */)) {
    const [, command = '', option = '', values = ''] = /^(.*?) (--\S+) (.*)$/.exec(line) ?? []
    for (const value of values.split(' ')) {
      const { code, stdout, stderr } = await pets([...command.split(' '), `${option}=${value}`])
      assert.deepEqual([code, stdout], [2, ''], `${line}: ${stderr}`)
      assert(
        stderr.startsWith(`error: option '${option} `) && stderr.includes(` argument '${value}' is invalid. `),
        stderr,
      )
    }
  }
})

const OFFICE = 'serve --office --operator-port'
const CREATE = 'keys create --create --plan'

const MISTAKES: readonly (readonly [line: string, sentence: RegExp, env?: Readonly<Record<string, string>>])[] = [
  ['nonsense', /unknown command 'nonsense'/],
  ['keys nonsense', /^The command nonsense of keys does not exist\. Choose from: create, /],
  ['help nonsense', /^The command nonsense does not exist\. Choose from: serve, /],
  [`--config ${fileOf('port = 1')} find keys people`, /^error: too many arguments for 'find'/],
  ['keys create', /required option '--plan/],
  [`${CREATE} free --per-minute 5 --per-day 5`, /the limits of the free plan are fixed/],
  [`${CREATE} enterprise --per-minute 5`, /needs its own two limits, per minute and per day/],
  [`${CREATE} free --expires 2020-01-01`, /would have expired already/],
  [`${CREATE} free --label a\x1b[31mb`, /^No key was created: a label is 1 to 200/],
  [`${CREATE} free more`, /too many arguments/],
  ['keys revoke', /missing required argument 'id'/],
  ['set-status 7', /missing required argument 'ids'/],
  ['set-status gone 1', /the status must be one of available, pending, sold, none/],
  ['set-status 07 sold', /"07" is not the id of an animal/],
  ['remove 1.5', /must be a whole number/],
  ['import', /missing required argument 'file'/],
  ['sync --ref ref', /missing required argument 'file'/],
  ['imports undo', /missing required argument 'number'/],
  ['find', /^Give a text, or --by and --since/],
  ['find x --by k', /^Give a text, or --by and --since/],
  ['export --nonsense', /unknown option '--nonsense'/],
  ['export --for-spreadsheet', /needs --format csv/],
  ['copy --from postgres://x/y --to postgres://x/y', /are the same database\. Name two databases/],
  ['copy --from sqlite:pets.db --to sqlite:./pets.db', /are the same database\. Name two databases/],
  ['people invite Ada', /required option '--role/],
  ['people invite service --role staff', /^Choose another name: a name is 1 to 60/],
  ['people invite Ada --role staff --office http://office.example', /must be an https address/],
  ['people role Ada king', /Allowed choices are viewer, staff, manager, operator/],
  [`health --config ${folder}/none.conf`, /the settings file \S+none\.conf cannot be read/],
  ['keys list --database mysql://x', /must be sqlite:PATH or postgres/],
  ['serve --database data/pets.db', /; a file is sqlite:data\/pets\.db\.$/m],
  ['serve --database sqlite:', /must be a file/],
  ['serve --create --counters http://x', /--counters must be redis/],
  [`copy --from sqlite:pets.db --to sqlite:${folder}/none.db --counters http://x`, /--counters must be redis/],
  ['serve --tls-cert x.pem', /both --tls-cert and --tls-key/],
  ['serve --office', /--office needs --operator-port\./],
  [`${OFFICE} 0.0.0.0:0`, /The office needs TLS at .* --no-office/],
  [`${OFFICE} [::]:0 --office http://localhost:8081`, /The office needs TLS/],
  ['serve --backup-every 5m', /^--backup-every needs --backup-dir\.$/m],
  ['serve', /PETS_PORT/, { PETS_PORT: 'x' }],
  ['serve', /PETS_PAGES must be one of 1, true, yes, on, or one of 0, false, no, off/, { PETS_PAGES: 'maybe' }],
  [`serve --config ${fileOf('\nprot = 8080\n')}`, /line 2 of \S+: prot is not a setting/],
  [`serve --config ${fileOf('port 8080')}`, /line 1 of \S+ must be written as name = value/],
  [`serve --config ${fileOf('port = 8o80')}`, /line 1 of \S+: port is invalid\. It must be a whole number/],
  [`serve --config ${fileOf('port = 1\nport = 2')}`, /line 2 of \S+: port is set twice/],
  [`serve --config ${fileOf('config = x')}`, /config is not a setting/],
  [
    `keys list --config ${fileOf(Buffer.from('publish = Zoë', 'latin1'))}`,
    /\.conf is not UTF-8\. Save it as UTF-8\.$/m,
  ],
  [`keys list --config ${fileOf('publish = "Harbour"')}`, /: write publish without the quotes\.$/m],
  [
    `keys list --config ${fileOf('backup-dir = /b # x')}`,
    /: put the comment on a line of its own; .* part of backup-dir\.$/m,
  ],
]

it('a usage error is a sentence without control characters, and changes nothing', async () => {
  assert.equal((await pets([])).code, 2)
  for (const [line, sentence, env = {}] of MISTAKES) {
    const settings = { PETS_DATABASE: `sqlite:${folder}/none.db`, ...env }
    const { code, stdout, stderr } = await pets(line.split(' '), { env: settings })
    assert.deepEqual([code, stdout], [2, ''], `${line}: ${stderr}`)
    assert.match(stderr, sentence, line)
    assert(!/\n\s+at /.test(stderr) && !stderr.includes('\x1b'), line)
    assert(stderr.trim().split('\n').length <= 2, stderr)
    assert(!existsSync(`${folder}/none.db`), line)
  }
  assert(!existsSync(`${folder}/data`))
  const { code, stderr } = await pets(['config', '--check'], { env: { PETS_COUNTERS: 'http://x' } })
  assert.deepEqual([code, /--counters must be redis/.test(stderr)], [2, true], 'pets config --check says the same')
})
