/** Generates the OpenAPI 3.1 document, which has open points of the API only as words and examples. */
import { GUIDE } from './guide.ts'
import {
  ANY_ERROR,
  BASE_PATH,
  GET_PET_REMOVAL_MS,
  INTERFACE_VERSION,
  NAMED_HEADERS,
  OPERATIONS,
  type Operation,
  RATE_LIMIT_HEADERS,
  TAGS,
} from './operations.ts'
import { NAMED_SCHEMAS } from './schemas.ts'

const NAME_OF = new Map<unknown, string>(Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [schema, name]))

/** Its only server is `publicUrl` or a path, relative to the document. From its removal on, getPet is missing (R12). */
export function openApiDocument(of: { readonly publicUrl?: string | undefined; readonly atMs?: number } = {}) {
  const { publicUrl, atMs = 0 } = of
  const operations = Object.entries(OPERATIONS).filter(
    ([name]) => name !== ('getPet' satisfies Operation) || atMs < GET_PET_REMOVAL_MS,
  )
  const briefs = operations.map(([, { brief }]) => brief)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Pet Adoption Service',
      version: INTERFACE_VERSION,
      description: `${briefs.slice(0, -1).join(', ')}, and ${briefs.at(-1)}.\n\n${GUIDE}`,
      contact: { name: 'The operator who created your key' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl ?? BASE_PATH, description: 'This service' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(operations),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, sent as `Authorization: Bearer <API_KEY>`.',
        },
      },
      headers: {
        ...mapValues(RATE_LIMIT_HEADERS, (description) => ({
          description,
          required: true,
          schema: { type: 'integer' },
        })),
        ...mapValues(NAMED_HEADERS, (description) => ({ description, schema: { type: 'string' } })),
      },
      schemas: mapValues(NAMED_SCHEMAS, (schema) => mapValues(schema, toReferences)),
    },
  }
}

function paths(operations: readonly (readonly [name: string, (typeof OPERATIONS)[Operation]])[]) {
  const items: Record<string, Record<string, unknown>> = {}
  for (const [operationId, { method, path, tag, parameters, responses, ...operation }] of operations) {
    const { summary, description } = operation
    const always = 'headers' in operation ? operation.headers : []
    items[path] = {
      ...items[path],
      [method.toLowerCase()]: {
        operationId,
        summary,
        description,
        ...('deprecated' in operation && { deprecated: operation.deprecated }),
        tags: [tag],
        ...(parameters.length > 0 && { parameters: toReferences(parameters) }),
        ...('body' in operation && {
          requestBody: { required: true, content: json(operation.body, operation.example) },
        }),
        responses: Object.fromEntries(
          Object.entries({ ...responses, default: ANY_ERROR }).map(([status, response]) => [
            status,
            {
              description: response.description,
              headers: headerRefs([...always, ...('headers' in response ? response.headers : [])]),
              content: json(response.body, response.example),
            },
          ]),
        ),
      },
    }
  }
  return items
}

function json(schema: unknown, example: unknown) {
  return { 'application/json': { schema: toReferences(schema), example } }
}

function headerRefs(more: readonly string[]) {
  const names = [...Object.keys(RATE_LIMIT_HEADERS), 'X-Request-Id', ...more]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function toReferences(data: unknown): unknown {
  const name = NAME_OF.get(data)
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  if (Array.isArray(data)) return data.map(toReferences)
  return typeof data === 'object' && data !== null ? mapValues(data, toReferences) : data
}

function mapValues<V, R>(record: { readonly [key: string]: V } | object, change: (value: V) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
