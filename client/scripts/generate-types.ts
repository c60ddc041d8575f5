/**
 * Writes src/types.ts from the OpenAPI document at the root of the repository, so that the client's types cannot differ
 * from the interface. An int64 from the service is a bigint; in requests a number is accepted too.
 */
import { readFile, writeFile } from 'node:fs/promises'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
}

interface Body {
  readonly content: { readonly 'application/json': { readonly schema: Schema } }
}

interface OperationObject {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

interface OpenApi {
  readonly paths: Record<string, Record<string, OperationObject>>
  readonly components: { readonly schemas: Record<string, Schema> }
}

const HEAD = `/**
 * The records of the interface. Written by scripts/generate-types.ts from the service's OpenAPI document: change that,
 * then run \`npm run generate\`.
 */
import type { Members } from './rules.ts'
`

type Schemas = Readonly<Record<string, Schema>>

/** The text of src/types.ts. */
export function typesOf({ paths, components: { schemas } }: OpenApi): string {
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const nameOf = ({ content }: Body) => refName(content['application/json'].schema) ?? ''
  const sent = operations.flatMap(({ requestBody }) => (requestBody ? [nameOf(requestBody)] : []))
  const received = operations.flatMap(({ responses }) =>
    Object.keys(responses).flatMap((status) => {
      const name = status.startsWith('2') && responses[status] ? nameOf(responses[status]) : ''
      return [refName(schemas[name]?.items ?? {}) ?? name]
    }),
  )
  const records = Object.entries(schemas).flatMap(([name, schema]) => [
    declaration(name, schema, sent.includes(name), schemas),
    ...(received.includes(name) ? [membersOf(name, schema, schemas)] : []),
  ])
  const queries = operations.flatMap(({ operationId, parameters = [] }) => {
    const query = parameters.filter((parameter) => parameter.in === 'query')
    if (query.length === 0) return []
    const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`
    const schema: Schema = {
      description: `What ${operationId} may be asked for.`,
      properties: Object.fromEntries(query.map(({ name, schema, description }) => [name, { ...schema, description }])),
      required: query.filter((parameter) => parameter.required).map(({ name }) => name),
    }
    return [declaration(name, schema, true, schemas)]
  })
  return [HEAD, ...records, ...queries].join('\n')
}

function declaration(schemaName: string, schema: Schema, isSent: boolean, schemas: Schemas): string {
  const { description, properties, required = [] } = schema
  const name = typeName(schemaName)
  const doc = description === undefined ? '' : `/** ${description} */\n`
  if (schema.enum !== undefined) {
    const constant = `${constantName(name)}_VALUES`
    const values = schema.enum.map((value) => `'${value}'`).join(', ')
    return `export const ${constant} = [${values}] as const\n\n${doc}export type ${name} = (typeof ${constant})[number]\n`
  }
  if (properties === undefined) return `${doc}export type ${name} = ${typeOf(schema, isSent)}\n`
  const fields = Object.entries(properties).map(([field, of]) => {
    const isRequired = required.includes(field)
    const type = typeOf(of, isSent) + (isSent && !isRequired ? ' | undefined' : '')
    return `${fieldDoc(of, schemas)}  readonly ${field}${isRequired ? '' : '?'}: ${type}\n`
  })
  const record = `${doc}export interface ${name} {\n${fields.join('')}}\n`
  if (!isSent) return record
  const rules = Object.entries(properties).map(
    ([field, { format }]) => `${field}: '${format === 'int64' ? format : ''}'`,
  )
  return `${record}\n/** Its members, for rules.ts. */\nexport const ${constantName(name)} = { ${rules.join(', ')} } as const\n`
}

/** What answers.ts expects of a record: the kind of each member, and a `?` behind one that may be absent. */
function membersOf(name: string, { properties = {}, required = [] }: Schema, schemas: Schemas): string {
  const members = Object.entries(properties).map(([member, schema]) => {
    const ref = refName(schema)
    const isEnum = ref !== undefined && schemas[ref]?.enum !== undefined
    const kind = isEnum ? `${constantName(ref)}_VALUES` : `'${schema.format ?? schema.type}'`
    return `${required.includes(member) ? member : `'${member}?'`}: ${kind}`
  })
  return `/** Its members, for answers.ts. */\nexport const ${constantName(name)}: Members = { ${members.join(', ')} }\n`
}

function constantName(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
}

/** A field that only refers to a schema has the description of that schema. */
function fieldDoc(field: Schema, schemas: Schemas): string {
  const { description, minimum, maximum, default: preset } = { ...schemas[refName(field) ?? ''], ...field }
  const range = minimum === undefined || maximum === undefined ? '' : ` From ${minimum} to ${maximum}.`
  const fallback = preset === undefined ? '' : ` ${preset} when not given.`
  return description === undefined ? '' : `  /** ${description}${range}${fallback} */\n`
}

function refName({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1)
}

/** JavaScript already has an Error. */
function typeName(schemaName: string): string {
  return schemaName === 'Error' ? 'ErrorBody' : schemaName
}

function typeOf(schema: Schema, isSent: boolean): string {
  const name = refName(schema)
  if (name !== undefined) return typeName(name)
  if (schema.items !== undefined) return `${typeOf(schema.items, isSent)}[]`
  if (schema.format === 'int64') return isSent ? 'bigint | number' : 'bigint'
  if (schema.type === 'integer') return 'number'
  if (schema.type === 'string') return 'string'
  throw new Error(`no TypeScript type for the schema ${JSON.stringify(schema)}`)
}

export async function readDocument(): Promise<OpenApi> {
  return JSON.parse(await readFile(`${import.meta.dirname}/../../openapi.json`, 'utf8'))
}

if (import.meta.main) await writeFile(`${import.meta.dirname}/../src/types.ts`, typesOf(await readDocument()))
