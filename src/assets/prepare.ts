/** Reads, builds and compresses the files of a page in a worker thread, because Scalar's bundle takes half a second. */
import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import { readProgramFile } from '../common/program.ts'
import { type AssetSource, type CompressedFile, isBinary, SCALAR } from './assets.ts'
import { buildPage, endEsbuild, scalarScript } from './build.ts'

/** The maximum, 11, would save another 5 % of the office's script and 10 % of Scalar's, but takes 30 times as long. */
const BROTLI_QUALITY = 5

const sources: ReadonlyMap<string, AssetSource> = workerData
const files = [...sources].map(async ([path, source]) => (await read(path, source)).map(prepare))
try {
  parentPort?.postMessage(new Map((await Promise.all(files)).flat()))
} finally {
  await endEsbuild()
}

async function read(path: string, source: AssetSource): Promise<readonly (readonly [path: string, text: string])[]> {
  if ('text' in source) return [[path, source.text]]
  if ('file' in source) return [[path, await (source.file === SCALAR ? scalarScript() : readProgramFile(source.file))]]
  const files = Object.entries(await buildPage(source.page, source.at))
  return files.map(([name, text]) => [name === 'index.html' ? path : `/${source.at}${name}`, text])
}

function prepare([path, text]: readonly [string, string]): readonly [string, CompressedFile] {
  const plain = Buffer.from(text, isBinary(path) ? 'base64' : 'utf8')
  const params = { [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [zlib.BROTLI_PARAM_SIZE_HINT]: plain.length }
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return [path, { plain, gzip: gzipSync(plain), br: brotliCompressSync(plain, { params }), hash }]
}
