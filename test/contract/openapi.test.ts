/** The OpenAPI document: it is generated from the contract, complete, and limited to the interface. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { openApiDocument } from '../../src/contract/openapi.ts'
import { pets } from '../support/commands/commands.ts'

const FILE = `${import.meta.dirname}/../../openapi.json`

interface Answer {
  readonly headers: Record<string, { $ref: string }>
  readonly content: Record<string, { schema: { $ref: string } }>
}

interface OperationObject {
  readonly operationId: string
  readonly deprecated?: boolean
  readonly description: string
  readonly parameters?: readonly Record<string, unknown>[]
  readonly requestBody?: Pick<Answer, 'content'>
  readonly responses: Record<string, Answer>
}

const document = openApiDocument()
const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as OperationObject[])

describe('the OpenAPI document', () => {
  it('in openapi.json is what the contract generates', async () => {
    assert.deepEqual(
      JSON.parse(await readFile(FILE, 'utf8')),
      openApiDocument(),
      'run: ./pets openapi > openapi.json && npx biome format --write openapi.json',
    )
  })

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(FILE)
    assert.ok(valid, JSON.stringify(errors))
  })

  it('is printed by `pets openapi`, whose only server is --public-url or PETS_PUBLIC_URL', async () => {
    const address = 'https://pets.example/v1'
    const printed = async (args: string[], env = {}) => JSON.parse((await pets(['openapi', ...args], { env })).stdout)
    const moved = openApiDocument({ publicUrl: address })
    assert.deepEqual(await printed([]), document)
    assert.deepEqual(await printed(['--public-url', address]), moved)
    assert.deepEqual(await printed([], { PETS_PUBLIC_URL: address }), moved)
    assert.deepEqual(moved.servers, [{ url: address, description: 'This service' }])
  })

  it('gives every response its headers, and every response from 400 up an Error (R6, R15, R16, O9, O23)', () => {
    const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
    const ofStatus: Readonly<Record<string, readonly string[]>> = {
      'listPets 200': ['Link'],
      'createPet 201': ['Location'],
      401: ['WWW-Authenticate'],
      429: ['Retry-After'],
      default: ['Allow', 'Retry-After'],
    }
    for (const { operationId, responses } of operations) {
      for (const [status, { headers, content }] of Object.entries(responses)) {
        const more = ofStatus[status] ?? ofStatus[`${operationId} ${status}`] ?? []
        const ofGetPet = operationId === 'getPet' ? ['Sunset', 'Link'] : []
        const expected = [...limits, 'X-Request-Id', ...ofGetPet, ...more]
        const references = expected.map((name) => [name, { $ref: `#/components/headers/${name}` }])
        assert.deepEqual(headers, Object.fromEntries(references), `${operationId} ${status}`)
        const isError = content['application/json']?.schema.$ref === '#/components/schemas/Error'
        assert.equal(isError, !status.startsWith('2'), `${operationId} ${status}`)
      }
    }
    for (const name of limits) assert.partialDeepStrictEqual(document.components.headers[name], { required: true })
    assert.deepEqual(document.components.schemas.Error?.required, ['code', 'message', 'status'])
  })

  it('states the constraints of each parameter, and requires those of a path alone (R2, R7, R8, R5)', () => {
    const all = operations.flatMap(({ parameters = [] }) => parameters)
    const schemas = Object.fromEntries(all.map(({ name, schema }) => [name, schema]))
    assert.deepEqual(schemas.limit, { type: 'integer', minimum: 1, maximum: 100, default: 20 })
    assert.deepEqual(schemas.status, { $ref: '#/components/schemas/PetStatus' })
    assert.deepEqual(schemas.petId, { type: 'integer', format: 'int64' })
    for (const { in: place, required } of all) assert.equal(required, place === 'path')
    assert.deepEqual(document.components.schemas.PetStatus?.enum, ['available', 'pending', 'sold'])
  })

  it('marks every identifier as int64, and requires what the interface requires (R3, R4, R5)', () => {
    const pet = document.components.schemas.Pet as unknown as {
      properties: Record<string, { format?: string }>
      required: string[]
    }
    assert.deepEqual(Object.keys(pet.properties).toSorted(), ['categoryId', 'id', 'name', 'status'])
    assert.equal(pet.properties.id?.format, 'int64')
    assert.equal(pet.properties.categoryId?.format, 'int64')
    assert.deepEqual(pet.required, ['id', 'name', 'categoryId'])
    assert.deepEqual(document.components.schemas.NewPet?.required, ['name', 'categoryId'])
  })

  it('requires a bearer key for every operation, and marks getPet as deprecated (R12, R13)', () => {
    assert.deepEqual(document.security, [{ apiKey: [] }])
    const { type, scheme } = document.components.securitySchemes.apiKey
    assert.deepEqual({ type, scheme }, { type: 'http', scheme: 'bearer' })
    const [getPet, ...others] = operations.filter(({ deprecated }) => deprecated)
    assert.deepEqual([getPet?.operationId, others], ['getPet', []])
    assert.match(getPet?.description ?? '', /removed on 5 December 2030/)
  })

  it('names this service as its only server, relative to the document, and no events (R1, R18, O25)', () => {
    assert.deepEqual(document.servers, [{ url: '/v1', description: 'This service' }])
    assert.equal(document.info.version, '1.0.0')
    assert.ok(!('webhooks' in document))
  })

  it('has no getPet from its removal on (R12, O21)', () => {
    const removalMs = Date.parse('2030-12-05T00:00:00Z')
    assert.deepEqual(openApiDocument({ atMs: removalMs - 1 }), document)
    const { '/pets/{petId}': getPet, ...others } = document.paths
    assert.deepEqual(openApiDocument({ atMs: removalMs }).paths, others)
    assert(getPet !== undefined)
  })
})
