/** The documents of the tree: links that lead somewhere, modules that are there, and words that mean one thing. */
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { describe, it } from 'node:test'
import { files, linesOf, read } from './tree.ts'

/** In characters. Tables and code are as wide as they are, and so is what is written from comments. */
const PROSE_WIDTH = 130
const NO_PROSE = /^ *```[\s\S]*?^ *```|^<!-- reference[\s\S]*?^<!-- end|^(?: {4}|\|).*$/gm
const LINK = /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g
/** A module of this tree, as it is named in prose. */
const MODULE = /`([\w./-]+\.(?:ts|mjs))`/g

const documents = files.filter((file) => file.endsWith('.md'))
const prose = (file: string) => read(file).replace(NO_PROSE, (lines) => lines.replace(/.+/g, ''))
const isFolder = (path: string) => files.some((file) => file.startsWith(path.replace(/\/?$/, '/')))

/** The anchors of the headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  const titles = [...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase())
  return titles.map((title) => title.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'))
}

describe('the documents', () => {
  it('link only to files and headings that are there', () => {
    const isBroken = (from: string, path: string, anchor: string | undefined) => {
      const file = path === '' ? from : posix.join(posix.dirname(from), path)
      if (!files.includes(file)) return anchor !== undefined || !isFolder(file)
      return anchor !== undefined && !anchorsOf(file).includes(anchor)
    }
    assert.deepEqual(
      documents.flatMap((file) =>
        [...read(file).matchAll(LINK)]
          .filter(([, path = '', anchor]) => isBroken(file, path, anchor))
          .map(([link]) => `${file}: ${link}`),
      ),
      [],
      'correct the path or the anchor; an anchor is its heading in lower case, with - for spaces',
    )
  })

  it('name only modules that are there', () => {
    const isThere = (name: string) => files.some((file) => `/${file}`.endsWith(`/${name}`))
    assert.deepEqual(
      documents
        .filter((file) => !file.startsWith('client/')) // a reader's own modules are among those
        .flatMap((file) =>
          [...read(file).matchAll(MODULE)]
            .filter(([, name = '']) => !isThere(name))
            .map(([, name]) => `${file}: ${name}`),
        ),
      [],
      'name the module that is there now',
    )
  })

  it(`have prose of at most ${PROSE_WIDTH} characters a line`, () => {
    assert.deepEqual(
      documents.flatMap((file) => linesOf(prose(file), (line) => line.length > PROSE_WIDTH).map((n) => `${file}:${n}`)),
      [],
      'break the line',
    )
  })
})

describe('the words of the glossary', () => {
  it('are the only ones for what they mean, in `src`', () => {
    const rules = glossary()
    const found = files
      .filter((file) => file.startsWith('src/') && /\.(ts|js|css|html)$/.test(file))
      .flatMap((file) => {
        const all = ` ${wordsOf(read(file))} `
        return rules
          .filter(({ not }) => all.includes(` ${not} `))
          .map(({ not, word }) => `${file}: ${not}, not ${word}`)
      })
    assert.deepEqual(found, [], 'use the word of the glossary in docs/architecture.md')
  })
})

/** Each word that must not occur, and the one to be used: the table in docs/architecture.md. */
function glossary(): { readonly not: string; readonly word: string }[] {
  const [, section = ''] = read('docs/architecture.md').split(/^## Glossary$/m)
  const [, , ...rows] = (section.split(/^## /m)[0] ?? '').match(/^\|.*\|$/gm) ?? []
  assert(rows.length > 0, 'docs/architecture.md needs `## Glossary`, a table with the columns `word`, `meaning`, `not`')
  return rows.flatMap((row) => {
    const [word = '', , banned = ''] = row.slice(1, -1).split('|')
    return banned.split(',').flatMap((one) => (wordsOf(one) === '' ? [] : [{ not: wordsOf(one), word: word.trim() }]))
  })
}

/** The words of a text in lower case, those within identifiers too: `sampleLog` is `sample log`. */
function wordsOf(text: string): string {
  return (text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})/gu) ?? []).join(' ').toLowerCase()
}
