/** What is declared has a noun of its field for a name: no participle, and a time-out is a time-out. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseSync, Visitor, type VisitorObject } from 'oxc-parser'
import { modules } from './modules.ts'
import { read } from './tree.ts'

const BANNED = /^(?:told|said|asked|known|given|made|held|there|found|shown|named|wanted|taken)$|patien(?:ce|t)/i
/** Types that say nothing of what they are about. */
const BARE = /^(?:Entry|Found|Item|Part|Row|State|Thing|Words)$/
/** Members of public JSON: that of `pets report`, and two payloads of the office. */
const PUBLIC = new Set([
  'src/domain/report-lines.ts: known',
  'src/office/payloads/imports.ts: found',
  'src/office/payloads/keys.ts: found',
])

/** The names that a module declares, but for those that it only takes out of an object under the object's own name. */
function declarations(file: string): readonly string[] {
  const names: string[] = []
  const note = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || !('type' in node)) return
    const { type, name, ...parts } = node as { type: string; name?: unknown } & Record<string, unknown>
    if (type === 'Identifier' || type === 'PrivateIdentifier') names.push(String(name))
    else if (type === 'Property') void (parts.shorthand || note(parts.value))
    else if (/Pattern$|^RestElement$|^TSParameterProperty$/.test(type))
      for (const key of ['properties', 'elements', 'left', 'argument', 'parameter'])
        for (const part of [parts[key]].flat()) note(part)
  }
  const function_ = ({ id, params }: { id: unknown; params: readonly unknown[] }) => [id, ...params].forEach(note)
  const member = ({ key }: { key: unknown }) => note(key)
  const type = ({ id }: { id: unknown }) => note(id)
  const visitor: VisitorObject = {
    VariableDeclarator: type,
    FunctionDeclaration: function_,
    FunctionExpression: function_,
    ArrowFunctionExpression: ({ params }) => params.forEach(note),
    ClassDeclaration: type,
    MethodDefinition: member,
    PropertyDefinition: member,
    TSPropertySignature: member,
    TSMethodSignature: member,
    TSTypeAliasDeclaration: type,
    TSInterfaceDeclaration: type,
  }
  new Visitor(visitor).visit(parseSync(file, read(file)).program)
  return names
}

it('a name says what a thing is: no participle, such as told or found, and no bare Entry, Row or Words', () => {
  const judged = modules.filter((file) => /^(?:src|client\/src|conformance)\//.test(file))
  const banned = judged.flatMap((file) =>
    declarations(file).flatMap((name) => (BANNED.test(name) || BARE.test(name) ? `${file}: ${name}` : [])),
  )
  assert.deepEqual(
    banned.filter((one) => !PUBLIC.has(one)),
    [],
  )
  assert.deepEqual(new Set(banned), PUBLIC, 'an exception that nothing needs')
})
