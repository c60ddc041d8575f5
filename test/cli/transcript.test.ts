/**
 * What each command prints, on each engine: each scene of a transcript is played on a new database. `!` is a line of
 * standard error, `=` an exit code. PETS_TEST_RECORD=1 writes them again.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { userName } from '../../src/common/user.ts'
import { openStore } from '../../src/store/open.ts'
import { onEachEngine } from '../store/on-each-engine.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { patientClock } from '../support/time/clock.ts'

const FOLDER = join(import.meta.dirname, 'transcripts')
/** What differs between runs, by the name that replaces it. */
const CHANGING = { KEY: /key_[0-9a-f]{12}/g, SECRET: /pets_[\w-]{48}/g, LINK: /(?<=#invitation=)[\w-]{43}/g }
const escaped = (text: string) =>
  text.replaceAll(/(?!\n)\p{C}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
const meant = (text: string) =>
  text
    .replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\n', '\n')
const words = (line: string) => [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => meant(quoted ?? word))

async function play(lines: readonly string[], database: string): Promise<string> {
  const folder = temporaryFolder()
  const names = new Map([[folder, 'FOLDER']])
  names.set(`cli ${userName()}`, 'cli USER')
  let nowMs = Date.UTC(2026, 10, 21, 12)
  const clock = { ...patientClock, now: () => nowMs }
  await (await openStore(database, { serving: false, clock })).close()
  const named = (text: string) => {
    for (const [name, pattern] of Object.entries(CHANGING)) {
      for (const [found] of text.matchAll(pattern)) {
        const n = [...names.values()].filter((other) => other.startsWith(name)).length + 1
        if (!names.has(found)) names.set(found, `${name}${n}`)
      }
    }
    return [...names].reduce((all, [value, name]) => all.replaceAll(value, name), text)
  }
  const valued = (word: string) => [...names].reduce((all, [value, name]) => all.replaceAll(name, value), word)
  const played: string[] = []
  const texts = new Map<string, string>()
  for (const line of lines) {
    const [, name, text] = /^([A-Z\d]+)=(.*)$/.exec(line) ?? []
    if (name !== undefined && text !== undefined) texts.set(`$${name}`, text)
    if (name !== undefined || line.startsWith('$ ')) played.push(line)
    if (!line.startsWith('$ ')) continue
    const [command = '', input = ''] = line.slice(2).split(' < ')
    nowMs += 60_000
    const args = words(command).map(valued)
    assert.doesNotMatch(args.join(' '), /\b(?:KEY|SECRET|LINK)\d/, 'nothing was printed that has this name')
    const options = { clock, cwd: folder, input: meant(texts.get(input) ?? input), env: { PETS_DATABASE: database } }
    const { code, stdout, stderr } = await pets(args, options)
    const errors = stderr.trimEnd().replaceAll(/^(?=.)/gm, '! ')
    const told = `${stdout}${errors}`.split('\n').filter((one) => one !== '')
    played.push(...told.map((one) => escaped(named(one)).replaceAll(/ {2,}/g, '  ')))
    if (code !== 0) played.push(`= ${code}`)
  }
  // Only PostgreSQL has other nodes.
  return played.join('\n').replaceAll(', on every node within 5 seconds', '')
}

const files = globSync('*.txt', { cwd: FOLDER }).map((name) => ({
  name,
  text: readFileSync(join(FOLDER, name), 'utf8'),
}))

onEachEngine(
  (name) => `commands on ${name}`,
  (engine) => {
    for (const { name, text } of files) {
      const [head = '', ...scenes] = text.trim().split(/\n\n(?=# )/)
      const now = [head]
      for (const scene of scenes) {
        const [title = '', ...lines] = scene.split('\n')
        it(`${name}: ${title.slice(2)}`, async () => {
          const played = await play(lines, await engine.createDatabase())
          now.push(`${title}\n${played}`)
          if (!process.env.PETS_TEST_RECORD) assert.equal(played, lines.join('\n'))
        })
      }
      after(() => {
        if (process.env.PETS_TEST_RECORD && now.length > scenes.length)
          writeFileSync(join(FOLDER, name), `${now.join('\n\n')}\n`)
      })
    }
  },
)
