/**
 * The OpenAPI document: it is generated from the contract, complete, limited to the interface, accepted by two linters,
 * and the clients that three generators make from it work with the running service.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openApiDocument } from '../../src/contract/openapi.ts'
import { installTools, TOOLS, tool } from '../openapi-tools/tools.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

const run = promisify(execFile)
const ROOT = `${import.meta.dirname}/../..`
const FILE = `${ROOT}/openapi.json`
const PETS = `${ROOT}/src/cli/pets.ts`

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
const operations = new Map(
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      operation as OperationObject,
    ]),
  ),
)

/** Of the clients and their programs, which come together. */
const COMPILER = {
  strict: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'nodenext',
  // The program's `process` comes from the project's own declarations of Node.
  typeRoots: [`${ROOT}/node_modules/@types`],
  types: ['node'],
  skipLibCheck: true,
}

const START = "const { BASE_URL: baseUrl = '', KEY: key = '' } = process.env\n"

/** What makes each client in a folder, and a program that uses it as a developer does. */
const CLIENTS = [
  {
    name: 'openapi-typescript',
    generate: (folder: string) => tool('openapi-typescript', FILE, '-o', `${folder}/schema.ts`),
    program: `
      import createClient from 'openapi-fetch'
      import type { components, paths } from './schema.js'

      const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } })
      const body: components['schemas']['NewPet'] = { name: 'Luna', categoryId: 7, status: 'pending' }
      const created = await client.POST('/pets', { body })
      const listed = await client.GET('/pets', { params: { query: { limit: 1, status: 'pending' } } })
      const fetched = await client.GET('/pets/{petId}', { params: { path: { petId: created.data?.id ?? 0 } } })
      const missing = await client.GET('/pets/{petId}', { params: { path: { petId: -1 } } })
      const refused = await client.GET('/pets', { headers: { Authorization: 'Bearer nobody' } })
      const error: components['schemas']['Error'] | undefined = refused.error
      console.log(JSON.stringify({
        created: created.data, listed: listed.data, fetched: fetched.data, missing: missing.error?.code, refused: error?.code,
      }))`,
  },
  {
    name: 'openapi-ts',
    generate: (folder: string) => {
      const plugins = ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript']
      return tool('openapi-ts', '-i', FILE, '-o', `${folder}/made`, '--no-log-file', '-p', ...plugins)
    },
    program: `
      import { createClient } from './made/client/index.js'
      import { createPet, getPet, listPets, type NewPet } from './made/index.js'

      const client = createClient({ baseUrl, auth: key })
      const body: NewPet = { name: 'Luna', categoryId: 7, status: 'pending' }
      const created = await createPet({ client, body })
      const listed = await listPets({ client, query: { limit: 1, status: 'pending' } })
      const fetched = await getPet({ client, path: { petId: created.data?.id ?? 0 } })
      const missing = await getPet({ client, path: { petId: -1 } })
      const refused = await listPets({ client, auth: 'nobody' })
      console.log(JSON.stringify({
        created: created.data, listed: listed.data, fetched: fetched.data, missing: missing.error?.code, refused: refused.error?.code,
      }))`,
  },
  {
    // By the server that the document names first.
    name: 'orval',
    async generate(folder: string) {
      const output = { target: 'fetching.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } }
      const config = JSON.stringify({ pets: { input: FILE, output } })
      await writeFile(`${folder}/orval.config.mjs`, `export default ${config}`)
      assert.doesNotMatch(await tool('orval', '--config', `${folder}/orval.config.mjs`), /failed/i)
    },
    program: `
      import { createPet, getPet, listPets, type NewPet } from './fetching.js'

      const send = fetch
      // As in a browser, where an address is relative to the page.
      globalThis.fetch = (url, init) => send(new URL(String(url), baseUrl), init)
      const headers = { authorization: \`Bearer \${key}\` }
      const body: NewPet = { name: 'Luna', categoryId: 7, status: 'pending' }
      const created = await createPet(body, { headers })
      const listed = await listPets({ limit: 1, status: 'pending' }, { headers })
      const fetched = await getPet(created.status === 201 ? created.data.id : 0, { headers })
      const missing = await getPet(-1, { headers })
      const refused = await listPets({}, { headers: { authorization: 'Bearer nobody' } })
      console.log(JSON.stringify({
        created: created.data, listed: listed.data, fetched: fetched.data,
        missing: missing.status === 404 && missing.data.code, refused: refused.status === 401 && refused.data.code,
      }))`,
  },
]

describe('the OpenAPI document', () => {
  it('in openapi.json is what the contract generates', async () => {
    assert.deepEqual(
      JSON.parse(await readFile(FILE, 'utf8')),
      openApiDocument(),
      'run: ./pets openapi > openapi.json && npx biome format --write openapi.json',
    )
  })

  it('is printed by `pets openapi`, whose first and production server follow --public-url and PETS_PUBLIC_URL', async () => {
    const address = 'https://pets.example/v1'
    const printed = async (args: string[], env: Record<string, string> = {}) =>
      JSON.parse((await run(process.execPath, [PETS, 'openapi', ...args], { env: { ...process.env, ...env } })).stdout)
    const moved = openApiDocument({ publicUrl: address })
    assert.deepEqual(await printed([]), document)
    assert.deepEqual(await printed(['--public-url', address]), moved)
    assert.deepEqual(await printed([], { PETS_PUBLIC_URL: address }), moved)
    assert.equal(moved.servers[0]?.url, address)
    assert.match(JSON.stringify(moved.servers[1]), new RegExp(`"default":"${address}"`))
  })

  it('holds the three operations with the answers that the interface lists, 400 to a wrong query, and an Error for all others (R6-R13, R16, O2)', () => {
    const listed = [...operations].map(([name, { operationId, responses }]) => [
      name,
      operationId,
      Object.keys(responses).join(),
    ])
    assert.deepEqual(listed, [
      ['GET /pets', 'listPets', '200,400,401,429,default'],
      ['POST /pets', 'createPet', '201,400,401,429,default'],
      ['GET /pets/{petId}', 'getPet', '200,401,404,429,default'],
    ])
  })

  it('gives every answer the limit headers, a 429 Retry-After, and all from 400 up an Error with its three fields (R6, R15, R16, O9)', () => {
    const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
    for (const { operationId, responses } of operations.values()) {
      for (const [status, { headers, content }] of Object.entries(responses)) {
        const expected = status === '429' ? [...limits, 'Retry-After'] : limits
        const references = expected.map((name) => [name, { $ref: `#/components/headers/${name}` }])
        assert.deepEqual(headers, Object.fromEntries(references), `${operationId} ${status}`)
        const isError = content['application/json']?.schema.$ref === '#/components/schemas/Error'
        assert.equal(isError, !status.startsWith('2'), `${operationId} ${status}`)
      }
    }
    for (const [name, header] of Object.entries(document.components.headers)) assert.equal(header.required, true, name)
    assert.deepEqual(document.components.schemas.Error?.required, ['code', 'message', 'status'])
  })

  it('states the constraints of each parameter (R2, R7, R8, R5)', () => {
    const described = [...operations.values()].flatMap(({ parameters = [] }) =>
      parameters.map(({ description: _, example: __, ...rest }) => rest),
    )
    assert.deepEqual(described, [
      {
        name: 'limit',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      },
      { name: 'status', in: 'query', required: false, schema: { $ref: '#/components/schemas/PetStatus' } },
      { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
    ])
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

  it('has an example for each request, parameter and answer, a contact and a licence', () => {
    for (const { operationId, parameters = [], requestBody, responses } of operations.values()) {
      const contents = [...Object.values(responses), ...(requestBody ? [requestBody] : [])].map(
        ({ content }) => content,
      )
      for (const each of [...parameters, ...contents.map((content) => content['application/json'] ?? {})]) {
        assert('example' in each, `${operationId}: ${JSON.stringify(each)}`)
      }
    }
    assert(document.info.contact.name.length > 0 && document.info.license.identifier === 'Apache-2.0')
  })

  it('asks for a bearer key on every operation, and marks getPet alone as deprecated, with its removal date (R12, R13)', () => {
    assert.deepEqual(document.security, [{ apiKey: [] }])
    const { type, scheme } = document.components.securitySchemes.apiKey
    assert.deepEqual({ type, scheme }, { type: 'http', scheme: 'bearer' })
    const [getPet, ...others] = [...operations.values()].filter(({ deprecated }) => deprecated)
    assert.deepEqual([getPet?.operationId, others], ['getPet', []])
    assert.match(getPet?.description ?? '', /removed on 5 December 2030/)
  })

  it('names the service itself first, then both environments by variables whose values end in /v1, and no events (R1, R18, O25)', () => {
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      ['/v1', '{base_url}', '{staging_base_url}'],
    )
    for (const server of document.servers.slice(1)) assert.match(JSON.stringify(server), /"default":"[^"]+\/v1"/)
    assert.equal(document.info.version, '1.0.0')
    assert.equal('webhooks' in document, false)
  })

  it('has no getPet from its removal on (R12, O21)', () => {
    const removalMs = Date.parse('2030-12-05T00:00:00Z')
    assert.deepEqual(openApiDocument({ atMs: removalMs - 1 }), document)
    const { paths } = openApiDocument({ atMs: removalMs })
    assert.deepEqual(Object.keys(paths), ['/pets'])
  })
})

describe('third-party tools', () => {
  before(installTools)

  it('redocly lint finds no error and no warning under its recommended rules', async () => {
    const report = await tool('redocly', 'lint', FILE, '--format=json', '--config=redocly.yaml')
    assert.deepEqual(JSON.parse(report).problems, [])
  })

  it('spectral finds no error and no warning under its OpenAPI rules', async () => {
    const printed = await tool('spectral', 'lint', FILE, '--ruleset=spectral.yaml', '--fail-severity=hint')
    assert.match(printed, /No results/)
  })

  it(`the clients that ${CLIENTS.map(({ name }) => name).join(', ')} make work against the service`, async () => {
    const folder = temporaryFolder()
    await symlink(`${TOOLS}/node_modules`, `${folder}/node_modules`)
    await writeFile(`${folder}/package.json`, '{ "type": "module" }')
    await writeFile(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: COMPILER }))
    await Promise.all(
      CLIENTS.map(async ({ name, generate, program }) => {
        await generate(folder)
        await writeFile(`${folder}/${name}.ts`, START + program)
      }),
    )
    await tool('tsc', '--project', folder)
    await using service = await startService()
    const { key } = await service.issueKey()
    const env = { ...process.env, BASE_URL: service.baseUrl, KEY: key }
    for (const { name } of CLIENTS) {
      const { stdout } = await run(process.execPath, [`${folder}/${name}.js`], { env })
      const { created, listed, fetched, missing, refused } = JSON.parse(stdout)
      assert.deepEqual(created, { id: created.id, name: 'Luna', categoryId: 7, status: 'pending' }, name)
      assert.deepEqual([listed, fetched], [[created], created], name)
      assert.deepEqual([missing, refused], ['not_found', 'unauthorized'], name)
    }
  })
})
