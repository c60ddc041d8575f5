/**
 * The OpenAPI document: it is generated from the contract, complete, limited to the interface, accepted by two linters,
 * and the clients that three generators make from it work with the running service.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openApiDocument } from '../../src/contract/openapi.ts'
import { installTools, TOOLS, tool } from '../openapi-tools/tools.ts'
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

function operation(name: string): OperationObject {
  const found = operations.get(name)
  assert(found, `${name} is in the document`)
  return found
}

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

  it('holds the three operations and nothing beyond them (R7, R9, R11, O2)', () => {
    assert.deepEqual(
      [...operations].map(([name, { operationId }]) => `${operationId}: ${name}`),
      ['listPets: GET /pets', 'createPet: POST /pets', 'getPet: GET /pets/{petId}'],
    )
  })

  it('lists the answers that the interface lists, 400 to a wrong query, and an Error for all others (R6-R13, R16)', () => {
    const listed = [...operations.values()].map(({ operationId, responses }) => [operationId, Object.keys(responses)])
    assert.deepEqual(Object.fromEntries(listed), {
      listPets: ['200', '400', '401', '429', 'default'],
      createPet: ['201', '400', '401', '429', 'default'],
      getPet: ['200', '401', '404', '429', 'default'],
    })
  })

  it('gives every answer the three limit headers, as required ones, and a 429 Retry-After (R15, R16)', () => {
    const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
    for (const { operationId, responses } of operations.values()) {
      for (const [status, { headers }] of Object.entries(responses)) {
        const expected = status === '429' ? [...limits, 'Retry-After'] : limits
        assert.deepEqual(
          headers,
          Object.fromEntries(expected.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
          `${operationId} ${status}`,
        )
      }
    }
    for (const [name, header] of Object.entries(document.components.headers)) {
      assert.equal(header.required, true, name)
    }
  })

  it('gives every answer from 400 up an Error, whose three fields are required (R6, O9)', () => {
    for (const { operationId, responses } of operations.values()) {
      for (const [status, { content }] of Object.entries(responses)) {
        const isError = content['application/json']?.schema.$ref === '#/components/schemas/Error'
        assert.equal(isError, !status.startsWith('2'), `${operationId} ${status}`)
      }
    }
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

  it('asks for a bearer key on every operation (R13)', () => {
    assert.deepEqual(document.security, [{ apiKey: [] }])
    const { type, scheme } = document.components.securitySchemes.apiKey
    assert.deepEqual({ type, scheme }, { type: 'http', scheme: 'bearer' })
  })

  it('marks getPet, and it alone, as deprecated and tells its removal date (R12)', () => {
    const deprecated = [...operations.values()].filter((each) => each.deprecated).map((each) => each.operationId)
    assert.deepEqual(deprecated, ['getPet'])
    assert.match(operation('GET /pets/{petId}').description, /removed on 5 December 2030/)
  })

  it('names the service itself first, then both environments by variables whose values end in /v1 (R1, R18)', () => {
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      ['/v1', '{base_url}', '{staging_base_url}'],
    )
    for (const server of document.servers.slice(1)) assert.match(JSON.stringify(server), /"default":"[^"]+\/v1"/)
    assert.equal(document.info.version, '1.0.0')
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

  it('the client that openapi-typescript types works against the service', async () => {
    await drive(
      (folder) => tool('openapi-typescript', FILE, '-o', `${folder}/schema.ts`),
      `
      import createClient from 'openapi-fetch'
      import type { components, paths } from './schema.js'

      const { BASE_URL: baseUrl = '', KEY: key = '' } = process.env
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
      }))
      `,
    )
  })

  it('the client that @hey-api/openapi-ts makes works against the service', async () => {
    await drive(
      (folder) =>
        tool(
          'openapi-ts',
          '-i',
          FILE,
          '-o',
          `${folder}/made`,
          '--no-log-file',
          '-p',
          '@hey-api/client-fetch',
          '@hey-api/sdk',
          '@hey-api/typescript',
        ),
      `
      import { createClient } from './made/client/index.js'
      import { createPet, getPet, listPets, type NewPet } from './made/index.js'

      const { BASE_URL: baseUrl = '', KEY: key = '' } = process.env
      const client = createClient({ baseUrl, auth: key })
      const body: NewPet = { name: 'Luna', categoryId: 7, status: 'pending' }
      const created = await createPet({ client, body })
      const listed = await listPets({ client, query: { limit: 1, status: 'pending' } })
      const fetched = await getPet({ client, path: { petId: created.data?.id ?? 0 } })
      const missing = await getPet({ client, path: { petId: -1 } })
      const refused = await listPets({ client, auth: 'nobody' })
      console.log(JSON.stringify({
        created: created.data, listed: listed.data, fetched: fetched.data, missing: missing.error?.code, refused: refused.error?.code,
      }))
      `,
    )
  })

  it('the client that orval makes works against the service, by the server that the document names first', async () => {
    await drive(
      async (folder) => {
        const output = { target: 'made.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } }
        const config = JSON.stringify({ pets: { input: FILE, output } })
        await writeFile(`${folder}/orval.config.mjs`, `export default ${config}`)
        assert.doesNotMatch(await tool('orval', '--config', `${folder}/orval.config.mjs`), /failed/i)
      },
      `
      import { createPet, getPet, listPets, type NewPet } from './made.js'

      const { BASE_URL: baseUrl = '', KEY: key = '' } = process.env
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
      }))
      `,
    )
  })
})

/** Generates a client, compiles it together with a program that uses it, and runs that against a service of its own. */
async function drive(generate: (folder: string) => Promise<unknown>, program: string): Promise<void> {
  const folder = await mkdtemp(`${tmpdir()}/openapi-`)
  await using service = await startService()
  try {
    const { key } = await service.issueKey()
    await symlink(`${TOOLS}/node_modules`, `${folder}/node_modules`)
    await writeFile(`${folder}/package.json`, '{ "type": "module" }')
    await generate(folder)
    await writeFile(`${folder}/program.ts`, program)
    await writeFile(
      `${folder}/tsconfig.json`,
      JSON.stringify({
        compilerOptions: {
          strict: true,
          target: 'es2022',
          lib: ['es2022', 'dom', 'dom.iterable'],
          module: 'nodenext',
          // The program's \`process\` comes from the project's own declarations of Node.
          typeRoots: [`${ROOT}/node_modules/@types`],
          types: ['node'],
          skipLibCheck: true,
        },
      }),
    )
    await tool('tsc', '--project', folder)
    const { stdout } = await run(process.execPath, [`${folder}/program.js`], {
      env: { ...process.env, BASE_URL: service.baseUrl, KEY: key },
    })
    const { created, listed, fetched, missing, refused } = JSON.parse(stdout)
    assert.deepEqual(created, { id: created.id, name: 'Luna', categoryId: 7, status: 'pending' })
    assert.deepEqual(listed, [created])
    assert.deepEqual(fetched, created)
    assert.deepEqual([missing, refused], ['not_found', 'unauthorized'])
  } finally {
    await rm(folder, { recursive: true })
  }
}
