/** A text of a command, the office or a file has one rule and one refusal wherever it enters. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { writeXlsx } from 'hucre/xlsx'
import type { AnimalView, IssuedKey, OfficeError, Upload } from '../../src/office/office-data.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { BODY_LIMIT, type OfficeApp, startOfficeApp } from '../support/office-app.ts'
import { PASSPHRASE, type SignedInClient } from '../support/office-client.ts'

/** The refusal of a text; empty if it is accepted. */
type Edge = (text: string) => Promise<string>

describe('text from people', () => {
  const folder = temporaryFolder()
  const database = ['--database', `sqlite:${folder}/pets.db`]
  let [office, olga, ada]: [OfficeApp?, SignedInClient?, SignedInClient?] = []
  let keyId = ''

  before(async () => {
    office = await startOfficeApp({ file: `${folder}/pets.db` })
    olga = await office.enter('Olga', 'operator')
    ada = await office.enter('Ada', 'manager')
    await office.store.pets.create({ name: 'Rex', categoryId: 7n })
    const key = { label: 'k', plan: 'enterprise', perMinute: 1, perDay: 1, passphrase: PASSPHRASE }
    keyId = (await olga.ask<IssuedKey>('POST', '/api/keys', key)).json.key.id
  })
  after(() => office?.[Symbol.asyncDispose]())

  const run = async (args: readonly string[], input = '') => {
    const { code, stderr } = await pets([...args, ...database], { input })
    return code === 0 ? '' : stderr
  }
  const ask = async (method: string, path: string, body?: object, by = olga) => {
    const { status = 0, json } = (await by?.ask<OfficeError>(method, path, body)) ?? {}
    return status < 400 ? '' : (json?.message ?? 'nothing')
  }
  const fileOf = (name: string, content: string | Uint8Array) => {
    writeFileSync(`${folder}/${name}`, content)
    return `${folder}/${name}`
  }
  const assertOne = async (edges: Record<string, Edge>, refused: Record<string, string>, accepted: string[]) => {
    for (const [edge, say] of Object.entries(edges)) {
      for (const [text, words] of Object.entries(refused)) {
        const said = await say(text)
        assert(
          said.includes(words) && said !== '',
          `${edge}: ${JSON.stringify(text.slice(0, 20))}: ${said || 'accepted'}`,
        )
      }
      for (const text of accepted) assert.equal(await say(text), '', `${edge}: ${text.slice(0, 20)}`)
    }
  }
  const LINES = ['x'.repeat(201), 'a\u202eb', 'a\x1b[2Jb']
  const noLine = (words: string) => Object.fromEntries(LINES.map((text) => [text, words]))
  const GOOD_LINES = [` ${'é'.repeat(200)} `, '\u{1f408}'.repeat(200), 'Zoë 🐈‍⬛']
  const LABEL = 'a label is 1 to 200 printable characters, without line breaks and control characters'

  it('follows one rule as the name of an animal', async () => {
    const change = async (name: string) => {
      const { version } = (await olga?.ask<AnimalView>('GET', '/api/animals/1'))?.json.animal ?? {}
      return ask('PATCH', '/api/animals/1', { version, name })
    }
    const add = (name: string) =>
      ask('POST', '/api/animals', {
        name,
        categoryId: '7',
        status: null,
        formToken: `${Math.random()}`.slice(2).padEnd(32, '0').slice(0, 32),
      })
    const file = async (name: string) => {
      const rows = [
        ['name', 'categoryId'],
        [name, 7],
      ]
      const book = () => writeXlsx({ sheets: [{ name: 'List', rows }] })
      const list = name.length > 1_000 ? await book() : JSON.stringify({ name, categoryId: 7 })
      return run(['import', '--allow-duplicates', fileOf('list', list)])
    }
    const bytes = `has ${BODY_LIMIT + 2} bytes, and ${BODY_LIMIT} are allowed; shorten it`
    const refused = {
      ['猫'.repeat(21_846)]: bytes,
      'a\ud800': 'contains a character that cannot be stored; type it again',
    }
    const edges = { change, add, file }
    await assertOne(edges, refused, ['猫'.repeat(21_845), '', 'a\u202eb\n'])
  })

  it('follows one rule as the reference of an animal', async () => {
    const change = async (reference: string) => {
      const { version } = (await olga?.ask<AnimalView>('GET', '/api/animals/1'))?.json.animal ?? {}
      return ask('PATCH', '/api/animals/1', { version, reference })
    }
    const sync = (reference: string) =>
      run(['sync', '-', '--ref=ref', '--yes', '--adopt'], `ref,name,categoryId\n${reference},Tom,9\n`)
    const refused = { ['r'.repeat(201)]: 'the reference must be text of 1 to 200 characters' }
    await assertOne({ change, sync }, refused, ['r'.repeat(200), 'A-1 '])
  })

  it('follows one rule as the label of a key', async () => {
    const terms = { plan: 'free', passphrase: PASSPHRASE }
    const edges = {
      create: (label: string) => run(['keys', 'create', '--plan=free', `--label=${label}`]),
      edit: (label: string) => run(['keys', 'edit', keyId, `--label=${label}`]),
      issue: (label: string) => ask('POST', '/api/keys', { ...terms, label }),
      change: (label: string) => ask('POST', `/api/keys/${keyId}/edit`, { label }),
    }
    await assertOne(edges, noLine(LABEL), GOOD_LINES)
    const { create, issue } = edges
    await assertOne({ create, issue }, { '': `No key was created: ${LABEL}` }, [])
    const labels = (await office?.store.keys.list({ limit: 10 }))?.map(({ label }) => label) ?? []
    assert(labels.length > 3 && labels.every((label) => label === label.trim()))
  })

  it('follows one rule as the name of a category', async () => {
    const edges = {
      set: (name: string) => run(['categories', 'set', '7', name]),
      rename: (label: string) => ask('PUT', '/api/categories', { names: [{ id: '7', label }] }),
      add: (label: string) => ask('PUT', '/api/categories', { names: [{ id: null, label }] }),
    }
    await assertOne(edges, noLine(`cannot be the name of a category: ${LABEL}`), [])
    const { add, ...others } = edges
    await assertOne(others, {}, GOOD_LINES)
    assert.equal(await add(` ${'ö'.repeat(200)} `), '')
  })

  it('follows one rule as the name of a person', async () => {
    const edges = {
      invite: (name: string) => run(['people', 'invite', name, '--role=staff']),
      rename: (name: string) => run(['people', 'rename', 'Ada', name]),
      'in the office': (name: string) => ask('POST', '/api/people', { name, role: 'staff', passphrase: PASSPHRASE }),
      'of oneself': (name: string) => ask('POST', '/api/account/name', { name }, ada),
    }
    const other = 'Choose another name: '
    const refused = {
      'A\u200dda': `${other}the name contains an invisible character (U+200D); leave it out.`,
      '\u0410da': `${other}the word “\u0410da” mixes letters of several scripts; write each word in one.`,
      'cli root': `${other}a name is 1 to 60 printable characters with a letter or digit among them, `,
      ['x'.repeat(61)]: `${other}a name is 1 to 60 printable characters with a letter or digit among them, `,
      OLGA: `${other}Olga already exists.`,
    }
    await assertOne(edges, refused, [])
  })

  it('follows one rule as the name of the shelter', async () => {
    const edges = {
      settings: (name: string) => ask('PUT', '/api/shelter', { name }),
      command: (name: string) => run(['settings', 'set', 'name', name]),
    }
    await assertOne(edges, noLine('must be 1 to 200 printable characters.'), GOOD_LINES)
  })

  it('follows one rule as the text of a search', async () => {
    const edges = {
      find: (text: string) => run(['find', text]),
      list: (text: string) => ask('GET', `/api/animals?text=${encodeURIComponent(text)}`),
      'all of it': (text: string) => ask('GET', `/api/animals/found?text=${encodeURIComponent(text)}`),
    }
    const words = (most: number) =>
      Array.from({ length: 500 }, (_, n) => n.toString(36))
        .join(' ')
        .slice(0, most)
    const refused = 'The text has 1001 characters, and 1000 can be searched for; shorten it.'
    await assertOne(edges, { [words(1_001)]: refused }, [words(1_000), ''])
  })

  it('follows one rule as a limit of a key', async () => {
    const bounds = {
      create: (n: string) => run(['keys', 'create', '--plan=enterprise', `--per-minute=${n}`, `--per-day=${n}`]),
      edit: (n: string) => run(['keys', 'edit', keyId, `--per-minute=${n}`]),
      change: (n: string) => ask('POST', `/api/keys/${keyId}/edit`, { perMinute: Number(n), perDay: Number(n) }),
    }
    await assertOne(bounds, { 0: '', '1.5': '', 9007199254740992: '' }, ['1', '9007199254740991'])
    const overlaps = {
      rotate: (s: string) => run(['keys', 'rotate', keyId, '--again', `--overlap=${s}`]),
      'in the office': (s: string) =>
        ask('POST', `/api/keys/${keyId}/rotate`, { overlapS: Number(s), passphrase: PASSPHRASE }),
    }
    await assertOne(overlaps, { '-1': 'overlap', 31536001: 'overlap' }, [])
  })

  it('as the name of a file, which is kept without its folder, and shortened', async () => {
    const name = `${'ß'.repeat(120)}.csv`
    const long = `${'x'.repeat(240)}.csv`
    for (const [at, file] of [name, long].entries()) {
      const text = `name,categoryId\nSource ${at},7\n`
      assert.equal(await run(['import', fileOf(file, text), '--allow-duplicates']), '')
      const { id } = (await ada?.upload<Upload>(text, file))?.json ?? {}
      assert.equal(await ask('POST', '/api/imports', { upload: id, skipInvalid: false, duplicates: 'add' }, ada), '')
    }
    const sources = (await office?.store.imports.list(4))?.map(({ source }) => source)
    const shortened = 'x'.repeat(200)
    assert.deepEqual(sources, [shortened, shortened, name, name])
  })
})
