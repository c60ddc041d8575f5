/** What in the code meets texts from outside, found by a parser: its regular expressions, and functions of one text. */
import { type ParamPattern, parseSync, Visitor } from 'oxc-parser'
import { modules } from '../tidy/modules.ts'
import { read } from '../tidy/tree.ts'

export interface Pattern {
  readonly place: string
  readonly source: string
  readonly flags: string
}

export const patterns: Pattern[] = []
/** Functions that may be called on any text: paths, databases' addresses, and members of ours are not from outside. */
export const functions: { readonly file: string; readonly name: string }[] = []

const JUDGED = /^(?:src|client\/src|conformance\/src)\//
/** Modules with other effects, or for a browser. */
const HAS_EFFECTS = /from 'node:(?:fs|child_process)|\bdocument\b|\blocation\b/
const NOT_FOREIGN = ['path', 'folder', 'file', 'url', 'member']

for (const file of modules.filter((file) => JUDGED.test(file))) {
  const text = read(file)
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const place = `${file}:${text.slice(0, node.start).split('\n').length}`
      patterns.push({ place, source: node.regex.pattern, flags: node.regex.flags })
    },
    ExportNamedDeclaration({ declaration }) {
      if (declaration?.type !== 'FunctionDeclaration' || declaration.async || HAS_EFFECTS.test(text)) return
      const [first, ...others] = declaration.params
      if (isText(first) && others.every(isOptional)) functions.push({ file, name: declaration.id?.name ?? '' })
    },
  }).visit(parseSync(file, text).program)
}

function isText(param: ParamPattern | undefined): boolean {
  if (param?.type !== 'Identifier' || NOT_FOREIGN.includes(param.name)) return false
  const type = param.typeAnnotation?.typeAnnotation
  const types = type?.type === 'TSUnionType' ? type.types : [type]
  return types.some((one) => one?.type === 'TSStringKeyword')
}

function isOptional(param: ParamPattern): boolean {
  return param.type === 'AssignmentPattern' || ('optional' in param && param.optional === true)
}
