/** The documents and comments of the tree: links that lead somewhere, and modules that are there. */
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { describe, it } from 'node:test'
import { parseSync } from 'oxc-parser'
import { modules } from './modules.ts'
import { files, read } from './tree.ts'

/** Code, tables and what is written from comments: no headings. */
const NO_PROSE = /^ *```[\s\S]*?^ *```|^<!-- reference[\s\S]*?^<!-- end|^(?: {4}|\|).*$/gm
const LINK = /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g
/** A file of this tree, as a comment names it; one of these is an example. */
const FILE = /(?<![\w/*-])(?!test\/PART)[\w.-][\w./-]*\.(?:ts|mjs|css|md)\b/g
/** A module of this tree, as it is named in prose; and tests, as a command has them. */
const MODULE = /`([\w./-]+\.(?:ts|mjs))`|(?<![\w/-])((?:client\/)?test\/[\w./-]*\w)/g

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

  it('name only modules and tests that are there', () => {
    const isThere = (name: string) => isFolder(name) || files.some((file) => `/${file}`.endsWith(`/${name}`))
    assert.deepEqual(
      documents
        .filter((file) => !file.startsWith('client/')) // a reader's own modules are among those
        .flatMap((file) =>
          [...read(file).matchAll(MODULE)]
            .map(([, module, tests = '']) => module ?? tests)
            .filter((name) => !isThere(name))
            .map((name) => `${file}: ${name}`),
        ),
      [],
      'name what is there now',
    )
  })
})

describe('the comments of the code', () => {
  it('name only files that are there', () => {
    const isThere = (from: string, name: string) =>
      name.startsWith('.')
        ? files.includes(posix.join(posix.dirname(from), name))
        : files.some((file) => `/${file}`.endsWith(`/${name}`))
    assert.deepEqual(
      modules.flatMap((file) =>
        parseSync(file, read(file)).comments.flatMap(({ value }) =>
          [...value.matchAll(FILE)].filter(([name]) => !isThere(file, name)).map(([name]) => `${file}: ${name}`),
        ),
      ),
      [],
      'name the file that is there now',
    )
  })
})
