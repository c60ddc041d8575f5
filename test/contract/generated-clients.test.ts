/**
 * What other tools make of the OpenAPI document: two linters accept it, and the clients that three generators make of
 * it work with the running service.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { installTools, TOOLS, tool } from '../openapi-tools/tools.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

const run = promisify(execFile)
const ROOT = `${import.meta.dirname}/../..`
const FILE = `${ROOT}/openapi.json`

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
    await using service = await startService({ operatorPort: 'none' })
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
