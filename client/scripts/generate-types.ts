/**
 * Writes src/types.ts from the OpenAPI document at the root of the repository, so that the client's types cannot say
 * what the interface does not. An int64 is a bigint when it comes from the service; sent to it, a number will do too.
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

interface OperationObject {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
}

export interface OpenApi {
  readonly paths: Record<string, Record<string, OperationObject>>
  readonly components: { readonly schemas: Record<string, Schema> }
}

const HEAD = `/**
 * The records of the interface. Written by scripts/generate-types.ts from the service's OpenAPI document: change that,
 * then run \`npm run generate\`.
 */
`

/** The text of src/types.ts. */
export function typesOf(document: OpenApi): string {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  const sent = new Set(operations.map(({ requestBody }) => requestBody?.content['application/json'].schema.$ref))
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    declaration(typeName(name), schema, sent.has(`#/components/schemas/${name}`)),
  )
  const queries = operations.flatMap(({ operationId, parameters = [] }) => {
    const query = parameters.filter((parameter) => parameter.in === 'query')
    if (query.length === 0) return []
    const properties = query.map(({ name, schema, description }) => [name, { ...schema, description }])
    const required = query.filter((parameter) => parameter.required).map(({ name }) => name)
    const description = `What ${operationId} may be asked for.`
    const schema: Schema = { description, properties: Object.fromEntries(properties), required }
    return [declaration(`${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`, schema, true)]
  })
  return [HEAD, ...schemas, ...queries].join('\n')
}

/** JavaScript has an Error of its own. */
function typeName(name: string): string {
  return name === 'Error' ? 'ErrorBody' : name
}

function declaration(name: string, schema: Schema, isSent: boolean): string {
  const { description, properties, required = [] } = schema
  const doc = description === undefined ? '' : `/** ${description} */\n`
  if (schema.enum !== undefined) {
    const constant = `${name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}_VALUES`
    return `export const ${constant} = [${schema.enum.map(quoted).join(', ')}] as const\n\n${doc}export type ${name} = (typeof ${constant})[number]\n`
  }
  if (properties === undefined) return `${doc}export type ${name} = ${typeOf(schema, isSent)}\n`
  const fields = Object.entries(properties).map(([field, of]) => {
    const isRequired = required.includes(field)
    const type = typeOf(of, isSent) + (isSent && !isRequired ? ' | undefined' : '')
    return `${fieldDoc(of)}  readonly ${field}${isRequired ? '' : '?'}: ${type}\n`
  })
  return `${doc}export interface ${name} {\n${fields.join('')}}\n`
}

function fieldDoc({ description, minimum, maximum, default: preset }: Schema): string {
  const range = minimum === undefined || maximum === undefined ? '' : ` From ${minimum} to ${maximum}.`
  const fallback = preset === undefined ? '' : ` ${preset} when not given.`
  return description === undefined ? '' : `  /** ${description}${range}${fallback} */\n`
}

function typeOf(schema: Schema, isSent: boolean): string {
  if (schema.$ref !== undefined) return typeName(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1))
  if (schema.items !== undefined) return `${typeOf(schema.items, isSent)}[]`
  if (schema.format === 'int64') return isSent ? 'bigint | number' : 'bigint'
  if (schema.type === 'integer') return 'number'
  if (schema.type === 'string') return 'string'
  throw new Error(`no TypeScript type for the schema ${JSON.stringify(schema)}`)
}

function quoted(text: string): string {
  return `'${text}'`
}

export async function readDocument(): Promise<OpenApi> {
  return JSON.parse(await readFile(`${import.meta.dirname}/../../openapi.json`, 'utf8'))
}

if (import.meta.main) await writeFile(`${import.meta.dirname}/../src/types.ts`, typesOf(await readDocument()))
