/** What is written from other files is up to date: the types, the version, and in the README an example and the size. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { GET_PET_REMOVAL_DAY, RESPONSE_HEADERS } from '../../src/contract/operations.ts'
import { readDocument, typesOf } from '../scripts/generate-types.ts'
import { versioned } from '../scripts/generate-version.ts'
import { CLIENT } from './support/package.ts'

const HINT = 'run: npm run generate, in client/'
const readme = await readFile(`${CLIENT}/README.md`, 'utf8')

describe('the client', () => {
  it('has the types of the OpenAPI document', async () => {
    assert.equal(await readFile(`${CLIENT}/src/types.ts`, 'utf8'), typesOf(await readDocument()), HINT)
  })

  it('has one version, that of its package.json', async () => {
    for (const [path, text] of Object.entries(await versioned())) {
      assert.equal(await readFile(`${CLIENT}/${path}`, 'utf8'), text, HINT)
    }
  })

  it('has in its README an example as it is run, and names the others', async () => {
    for (const name of await readdir(`${CLIENT}/examples`)) assert(readme.includes(name), name)
    assert(readme.includes(`\`\`\`js\n${await readFile(`${CLIENT}/examples/list.js`, 'utf8')}\`\`\``))
  })

  it('is as small as its README says, minified and gzipped', async (context) => {
    const [, kilobytes = ''] = /; under ([\d.]+) kB minified and gzipped/.exec(readme) ?? []
    const entryPoints = [`${CLIENT}/src/index.ts`]
    const { outputFiles } = await build({ entryPoints, bundle: true, minify: true, format: 'esm', write: false })
    const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
    context.diagnostic(`${bytes} bytes minified and gzipped`)
    assert(
      bytes > 1_000 && bytes < Number(kilobytes) * 1_000,
      `${bytes} bytes, and client/README.md says ${kilobytes} kB`,
    )
  })

  it('reads no header that the service does not show to pages of other origins (O24)', async () => {
    const sources = await readdir(`${CLIENT}/src`)
    const code = (await Promise.all(sources.map((name) => readFile(`${CLIENT}/src/${name}`, 'utf8')))).join('')
    const read = [...code.matchAll(/headers\.(?:get|has)\('([\w-]+)'\)|number\('(\w+)'\)/g)]
    const names = new Set(read.map(([, name, limit]) => name ?? `X-RateLimit-${limit}`))
    assert(names.size >= 8, [...names].join())
    // Every page may see the one; the other is for services that send it, which this one does not.
    for (const name of ['Content-Type', 'Deprecation']) names.delete(name)
    assert.deepEqual(
      [...names].filter((name) => !(RESPONSE_HEADERS as readonly string[]).includes(name)),
      [],
    )
  })

  it('names the day on which getPet goes away (R12)', async () => {
    assert.match(await readFile(`${CLIENT}/src/client.ts`, 'utf8'), new RegExp(`@deprecated .*${GET_PET_REMOVAL_DAY}`))
  })
})
