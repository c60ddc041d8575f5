/**
 * Reads, builds and compresses the files of a page in a worker thread, because Scalar's bundle takes half a second.
 * assets.ts starts it with the sources as `workerData`.
 */
import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import { readProgramFile } from '../common/program.ts'
import { type AssetSource, type CompressedFile, isBinary, SCALAR } from './assets.ts'
import { buildPage, endEsbuild, scalarScript } from './build.ts'

/** The maximum, 11, would save another 5 % of the office's script and 10 % of Scalar's, but takes 30 times as long. */
const BROTLI_QUALITY = 5

const sources: ReadonlyMap<string, AssetSource> = workerData
const files = [...sources].map(async ([path, source]) => [...(await read(path, source))].map(prepare))
try {
  parentPort?.postMessage(new Map((await Promise.all(files)).flat()))
} finally {
  await endEsbuild()
}

/** The content of a source's files by path. */
async function read(path: string, source: AssetSource): Promise<ReadonlyMap<string, string>> {
  if ('text' in source) return new Map([[path, source.text]])
  if ('file' in source) return new Map([[path, await readFile(source)]])
  const { page, at } = source
  return new Map(
    Object.entries(await buildPage(page, at)).map(([name, text]) => [
      name === 'index.html' ? path : `/${at}${name}`,
      text,
    ]),
  )
}

async function readFile({ file }: { readonly file: string }): Promise<string> {
  return file === SCALAR ? scalarScript() : readProgramFile(file)
}

function prepare([path, text]: readonly [string, string]): readonly [string, CompressedFile] {
  const plain = Buffer.from(text, isBinary(path) ? 'base64' : 'utf8')
  const params = { [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [zlib.BROTLI_PARAM_SIZE_HINT]: plain.length }
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return [path, { plain, gzip: gzipSync(plain), br: brotliCompressSync(plain, { params }), hash }]
}
