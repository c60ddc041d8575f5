/**
 * Reads and compresses the files of a page, in a worker thread: for Scalar's bundle this takes half a second, which no
 * request to the interface should wait for. Started by assets.ts with the sources as `workerData`.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { readProgramFile } from '../common/program.ts'
import type { Prepared, Source } from './assets.ts'
import { joinModules } from './join.ts'

const sources: readonly Source[] = workerData
const prepared = sources.map(async (source): Promise<Prepared> => {
  const plain = Buffer.from(await read(source))
  return { plain, gzipped: gzipSync(plain), hash: createHash('sha256').update(plain).digest('base64url').slice(0, 22) }
})
parentPort?.postMessage(await Promise.all(prepared))

async function read(source: Source): Promise<string> {
  if ('text' in source) return source.text
  if ('bundleOf' in source) return (await import('./scalar.ts')).scalarScript()
  if ('packaged' in source) return readFile(fileURLToPath(import.meta.resolve(source.packaged)), 'utf8')
  if ('modulesOf' in source) return joinModules(source.modulesOf, readText)
  if ('files' in source) return (await Promise.all(source.files.map(readText))).join('\n')
  return readText(source.file)
}

async function readText(path: string): Promise<string> {
  const text = await readProgramFile(path)
  return path.endsWith('.ts') ? stripTypeScriptTypes(text) : text
}
