/**
 * Makes the files of a page ready to send, in a thread of its own: reading Scalar's bundle and compressing it takes half
 * a second, for which no request to the interface should wait. Started by assets.ts with the sources as `workerData`.
 */
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import type { Prepared, Source } from './assets.ts'

const sources: readonly Source[] = workerData
const prepared = sources.map(async (source): Promise<Prepared> => {
  const plain = Buffer.from(await read(source))
  return { plain, gzipped: gzipSync(plain) }
})
parentPort?.postMessage(await Promise.all(prepared))

async function read(source: Source): Promise<string> {
  if ('text' in source) return source.text
  if ('bundleOf' in source) return readScalar()
  const text = await readFile(source.file, 'utf8')
  return source.file.endsWith('.ts') ? stripTypeScriptTypes(text) : text
}

/** Scalar's package gives its script away only as a route of a Fastify plugin. */
async function readScalar(): Promise<string> {
  const [{ default: fastify }, { default: scalar }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ])
  const server = fastify()
  await server.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } })
  const { body, statusCode } = await server.inject('/reference/js/scalar.js')
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference has no script: ${statusCode}`)
  return body
}
