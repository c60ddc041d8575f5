/** Strings, documents and titles of tests are plain English, as far as patterns find it, and advise only what exists. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Argument, type CallExpression, type Expression, type NewExpression, parseSync, Visitor } from 'oxc-parser'
import { pets } from '../support/commands/commands.ts'
import { modules } from './modules.ts'
import { files, read } from './tree.ts'

const PHRASES = [
  /\b(is|are|was|were|been) told\b/,
  /(^|[.:;] )Of (an?|one|two|several|these|the|what|all)\b/,
  /(^|[.:;] )Who (is|has|may)\b(?!.*\?)/,
  /\bwhoever\b/i,
  /(?<!\bthere )\b(is|are) no (?!longer\b|more than\b|one\b)[a-z]/i,
  /\ball the same\b|\bfor good\b|\banew\b|\bthe own\b|\bany more\b/i,
  /\bbut for\b|, but those\b/,
  /\bcomes? in(to)?\b/,
  /\b(take|put|give|bring|let|takes|puts|gives|brings|lets|taken|given|brought|took|gave)( \w+){0,2} back\b/,
  /\bin (the )?place of\b|\b(takes?|took|taken) the place of\b|\bbeside\b/,
  /\bstands? (on|in)\b|\b(go|goes|went|gone) on\b/,
  /\bwhat holds\b|\bholds at once\b|\bat once\b|\bmeanwhile\b/i,
  /\be-mails?\b|\btime-outs?\b|\btelephones?\b|\bfile of settings\b/i,
  /\b(some|any)body\b|\bmay not\b|\bthose there are\b|\bwho there is\b|\bnot there\b/i,
  /\w+n't\b|\bplease\b|\bsorry\b|\bsimply\b|\be\.g\.|\bi\.e\./iu,
]
/** Other words for what the glossary names, as far as their object is named. */
const TERMS = [
  /\bkeys? (that |which )?(ends?|ended|(runs?|ran) out)\b/i,
  /\b[Ii]ssu(e|es|ed|ing) (an? |the |this |another |new |free |first )+keys?\b|\bIssue key|\bkeys? (is|was|are|were) issued\b/,
  /\bbad rows?\b|\binvitation links?\b|\bsuccessors?\b(?!-)|\b(is|are|was|were) left out\b|\bkinds? of animals?\b/i,
]
const OFFICE_TERMS = [/(?<!network )\binterfaces?\b(?!\.\w)/i, /\bnotices?\b/i, /\bticked\b/i]

type Role = 'text' | 'about' | 'option' | 'button' | 'message' | 'title' | 'code'
interface Text {
  readonly file: string
  readonly line: number
  readonly role: Role
  /** Interpolations are `…`. */
  readonly words: string
}

/** The roles of arguments, by the name of the function and the place. */
const PLACES: readonly (readonly [Role, places: string])[] = [
  ['button', 'button 0, submitButton 0, confirm 0, ask 0, askConfirmed 0'],
  ['message', 'toast 0, textField 2, passphraseField 2'],
  ['about', 'group 0, description 0'],
  ['option', 'option 1, Option 1, argument 1'],
  ['title', 'describe 0, it 0, test 0'],
  ['code', 'sql 0'],
]
const ARGUMENTS = new Map(PLACES.flatMap(([role, places]) => places.split(', ').map((place) => [place, role] as const)))
const MEMBERS: Readonly<Record<string, Role>> = { about: 'about', json: 'option', csv: 'option', word: 'button' }
/** The folders in which these names mean this. */
const SCOPES: { readonly [role in Role]?: RegExp } = { about: /src\/cli/, option: /src\/cli/, button: /office\/page/ }
/** The words of lists in many languages are not sentences. */
const PRODUCT = /^(src\/(?!animals-file\/languages)|client\/src|conformance\/src)/
/** A name, a path, or a statement of SQL or JavaScript. */
const NO_TEXT =
  /^[a-z0-9_./:-]*$|^[a-z ]+_[a-z_ ]+$|\b(CREATE|ALTER|DROP|SELECT|INSERT|UPDATE|DELETE|WITH) \S|^\s*(const|local) /
const TESTS = /^(test|client\/test)\//

/** The strings of a module of the product, or the titles of a test. */
function textsOf(file: string): readonly Text[] {
  const source = read(file)
  const roles = new Map<number, Role>()
  const texts: Text[] = []
  const mark = (node: Argument | Expression, role: Role | undefined): void => {
    if (role === undefined || SCOPES[role]?.test(file) === false) return
    if (node.type !== 'ConditionalExpression') roles.set(node.start, role)
    else for (const branch of [node.consequent, node.alternate]) mark(branch, role)
  }
  const call = ({ callee, arguments: args }: CallExpression | NewExpression) => {
    const [, name = ''] = /(\w+)(?:\(.*\))?$/s.exec(source.slice(callee.start, callee.end)) ?? []
    for (const [at, argument] of args.entries()) mark(argument, ARGUMENTS.get(`${name} ${at}`))
  }
  const add = (start: number, words: string) => {
    const role = roles.get(start) ?? (NO_TEXT.test(words) ? 'code' : 'text')
    if (TESTS.test(file) ? role !== 'title' : role === 'code') return
    texts.push({ file, line: source.slice(0, start).split('\n').length, role, words: words.replaceAll(/\s+/g, ' ') })
  }
  new Visitor({
    CallExpression: call,
    NewExpression: call,
    TaggedTemplateExpression: ({ tag, quasi }) => void (tag.type === 'Identifier' && roles.set(quasi.start, 'code')),
    Property: ({ key, value }) => {
      if (key.type === 'Identifier') mark(value as Expression, MEMBERS[key.name])
    },
    Literal: ({ start, value }) => void (typeof value === 'string' && add(start, value)),
    TemplateLiteral: ({ start, quasis }) => add(start, quasis.map(({ value }) => value.cooked ?? '').join('…')),
  }).visit(parseSync(file, source).program)
  return texts
}

const CODE_BLOCK = /^ *(```|~~~)[\s\S]*?^ *\1|<!--[\s\S]*?-->|(?<=\n\n)(?:(?: {4}.*)?\n)+/gm

/** The paragraphs, items and cells of a document, without its blocks of code. */
function proseOf(file: string): readonly Text[] {
  const text = read(file).replaceAll(CODE_BLOCK, (code) => code.replaceAll(/.+/g, ''))
  const block = /(?<=^|\n)(\||#| *(?:[-*]|\d+\.) )?(?:.+(?:\n(?! *(?:[-*]|\d+\.) |\||#))?)+/g
  return [...text.matchAll(block)].flatMap(({ 0: words, 1: start, index }) => {
    const line = text.slice(0, index).split('\n').length
    const parts = start === '|' ? words.split(/(?<!\\)\|/) : [words.replace(/^ *(#+|[-*]|\d+\.) /, '')]
    return parts.map((part) => ({ file, line, role: 'text' as const, words: part.trim().replaceAll(/\s+/g, ' ') }))
  })
}

/** The texts of alerts and dashboards. */
function monitoringOf(file: string): readonly Text[] {
  return [...read(file).matchAll(/"?\b(?:summary|description|title)"?: *"?([^"\n]+)/g)].map((match) => {
    const line = read(file).slice(0, match.index).split('\n').length
    return { file, line, role: 'text', words: match[1] ?? '' }
  })
}

/** Released before 3.0, except for 2.1.0: these sections of the changelog stay as they are. */
const isOld = ({ file, line }: Text) =>
  file === 'CHANGELOG.md' && /^## 2\.0/m.test(read(file).split('\n').slice(0, line).join('\n'))

const documents = files.filter((file) => file.endsWith('.md'))
const prose = documents.flatMap(proseOf).filter((text) => !isOld(text))
const titles = modules.filter((file) => TESTS.test(file)).flatMap(textsOf)
const strings = [
  ...modules.filter((file) => PRODUCT.test(file)).flatMap(textsOf),
  ...files.filter((file) => /^deploy\/monitoring\/.*\.(yaml|json)$/.test(file)).flatMap(monitoringOf),
]

const isOffice = ({ file }: Text) => file.startsWith('src/office/') || file === 'docs/office.md'
/** Without code, targets of links and emphasis. */
const plain = (words: string) => words.replaceAll(/`[^`]*`/g, '`…`').replaceAll(/\]\([^)]*\)|\*/g, '')
const sentencesOf = (words: string) => plain(words).split(/(?<=[.!?;:]["”)]*) /)
const lengthOf = (words: string) => words.split(/[\s—]+/).filter((word) => /[\p{L}\p{N}…]/u.test(word)).length
const firstOf = (patterns: readonly RegExp[], words: string) =>
  patterns.map((pattern) => pattern.exec(plain(words))?.[0]).find((found) => found !== undefined)

/** `wrongIn` returns what is wrong with a text, or undefined or false. */
function assertNone(texts: readonly Text[], wrongIn: (text: Text) => string | boolean | undefined, advice: string) {
  const wrong = texts.flatMap((text) => {
    const found = wrongIn(text)
    if (found === false || found === undefined) return []
    return `${text.file}:${text.line}: ${found === true ? '' : `[${found.trim()}] `}${text.words}`
  })
  assert.ok(wrong.length === 0, `${advice}:\n${wrong.join('\n')}`)
}

for (const [name, texts] of Object.entries({ 'strings of the product': strings, documents: prose, titles })) {
  describe(`the ${name}`, () => {
    it('use phrases that can be said aloud', () => {
      assertNone(texts, ({ words }) => firstOf(PHRASES, words), 'say it as you would to a colleague')
    })

    it('use the terms of the glossary', () => {
      const patternsOf = (text: Text) => [...TERMS, ...(isOffice(text) ? OFFICE_TERMS : [])]
      assertNone(texts, (text) => firstOf(patternsOf(text), text.words), 'write the term that is used elsewhere')
    })
  })
}

describe('a sentence', () => {
  const longerThan = (most: number) => (text: Text) =>
    sentencesOf(text.words).find((sentence) => lengthOf(sentence) > most)

  it('has at most 25 words in a string of the product', () => {
    const isSentence = ({ words }: Text) => /\p{L}+ \p{L}+.*[.:;]( |$)/u.test(words)
    assertNone(strings.filter(isSentence), longerThan(25), 'make two of it')
  })

  it('has at most 30 words in a document', () => {
    assertNone(prose, longerThan(30), 'make two of it')
  })
})

/** The rule of each role, and what breaks it. */
const RULES: readonly (readonly [role: Role, rule: string, isWrong: (words: string) => boolean])[] = [
  ['button', 'has at most three words without a full stop', (words) => /\.$/.test(words) || lengthOf(words) > 3],
  ['message', 'ends like a sentence', (words) => !/[.?…]$/.test(words)],
  ['about', 'is a sentence', (words) => !/^[A-Z].*\.$/.test(words)],
  ['option', 'is a phrase of two words or more without a full stop', (words) => /\.$|^\S*$/.test(words)],
]

describe('a string of the role', () => {
  for (const [role, rule, isWrong] of RULES)
    it(`${role} ${rule}`, () => {
      assertNone(strings, (text) => text.role === role && isWrong(text.words), 'follow the rule of its role')
    })
})

describe('the title of a test', () => {
  it('has at most 100 characters', () => {
    assertNone(titles, ({ words }) => words.length > 100, 'name one guarantee')
  })

  it('has no clause as its subject, and no semicolon', () => {
    const clause = /;|^(what|who|of|that|how|whatever|whoever)\b/i
    assertNone(titles, ({ words }) => clause.exec(plain(words))?.[0], 'begin with the subject or the verb')
  })
})

describe('advice', () => {
  /** In backticks; at the start of an example of a command, or of a line of a console. */
  const COMMANDS = /`(?:\.\/)?pets ([a-z][^`]+)`|^ *(?:\$ )?(?:sudo (?:-u \w+ )?)?(?:\.\/)?pets ([a-z-][^\n`]*)$/gm
  const consoles = documents.flatMap((file) =>
    [...read(file).matchAll(CODE_BLOCK)].map(({ 0: code, index }) => {
      const line = read(file).slice(0, index).split('\n').length
      return { file, line, role: 'code' as const, words: code.replaceAll(/\\\n */g, '') }
    }),
  )
  const helpOf = async (...command: readonly string[]) => (await pets([...command, '--help'])).stdout

  /** The command or the option of a line that does not exist. */
  async function unknownIn(line: string): Promise<string | undefined> {
    const [own = ''] = line.replaceAll(/'[^']*'|"[^"]*"/g, 'TEXT').split(/ [|>&;<#]|\)|;/)
    const words = own.replace(/^--quiet /, '').split(/\s+/)
    const command: string[] = []
    let help = ''
    while (command.length === 0 || help.includes('\nCommands:')) {
      const word = words.shift() ?? ''
      command.push(command.length > 0 && !/^\w/.test(word) ? 'list' : word)
      help = await helpOf(...command)
      if (!help.startsWith(`Usage: pets ${command.join(' ')} `)) return command.join(' ')
    }
    const known = `${help}${await helpOf()}`
    return own.match(/(?<=^|\s)--[a-z-]+/g)?.find((option) => !known.includes(`${option}`))
  }

  it('names only commands and options that exist', async () => {
    const texts = [...strings.filter(({ file }) => file.startsWith('src/')), ...prose, ...consoles]
    const quoted = texts.flatMap((text) =>
      text.file === 'CHANGELOG.md'
        ? []
        : [...text.words.matchAll(COMMANDS)].map(([, inText, alone = '']) => ({ ...text, words: inText ?? alone })),
    )
    const unknown = new Map<string, string | undefined>()
    for (const { words } of quoted) if (!unknown.has(words)) unknown.set(words, await unknownIn(words))
    assertNone(quoted, ({ words }) => unknown.get(words), 'quote a command that works')
  })

  it('names only controls of the office that exist', () => {
    const labels = new Set(strings.filter(isOffice).map(({ words }) => words))
    const named = /\b(?:select|choose|use|open|under|go to|set|with) [“"]([A-Z][^”"…]*)[”"]/gi
    assertNone(
      [...strings, ...prose].filter(isOffice),
      ({ words }) => [...words.matchAll(named)].map(([, label = '']) => label).find((label) => !labels.has(label)),
      'quote the label that is on the screen',
    )
  })
})
