/** Where the node for the other processor of Linux comes from, asked of registries that do not have it, or lie. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/release/tree.ts'
import { temporaryFolder } from '../support/folder.ts'

const run = promisify(execFile)
const NAME = `node-linux-${process.arch === 'x64' ? 'arm64' : 'x64'}`
const { packages } = JSON.parse(readFileSync(`${ROOT}/package-lock.json`, 'utf8'))
const { version }: { version: string } = packages[`node_modules/${NAME}`]

/** What `otherNode` resolves to with this registry and a cache that is empty. */
async function askRegistry(answer: RequestListener): Promise<unknown> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  try {
    const registry = await new Promise<string>((listening) => {
      server.once('listening', () => listening(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
    })
    const program = `
      import { otherNode } from '${ROOT}/scripts/release/other-node.ts'
      console.log(JSON.stringify(await otherNode('${temporaryFolder()}/node')))`
    const env = { ...process.env, npm_config_registry: registry, npm_config_cache: temporaryFolder() }
    return JSON.parse((await run(process.execPath, ['--input-type=module', '--eval', program], { env })).stdout)
  } finally {
    server.close()
  }
}

describe('the node for the other processor', { skip: process.platform !== 'linux' && 'only Linux has another' }, () => {
  it('is left out of a release, with the reason in a line, where the registry does not have it', async () => {
    const why = await askRegistry((_, response) => response.writeHead(404).end())
    const [, arch] = /linux-(\w+)$/.exec(NAME) ?? []
    const sentence = `^There is nothing for ${arch}: npm pack ${NAME}@${version} failed \\([^\n]*404[^\n]*\\)\\.$`
    assert.match(String(why), new RegExp(sentence))
  })

  it('is what the lock file names, or nothing is made of it', async () => {
    const packed = temporaryFolder()
    await run('npm', ['pack', '--pack-destination', packed, `${ROOT}/client`, '--ignore-scripts'])
    const other = readFileSync(`${packed}/pet-adoption-client-${packages.client.version}.tgz`)
    const answer: RequestListener = ({ url, headers }, response) => {
      if (url?.endsWith('.tgz')) return response.end(other)
      const dist = { tarball: `http://${headers.host}/other.tgz` }
      return response.end(
        JSON.stringify({ name: NAME, 'dist-tags': {}, versions: { [version]: { name: NAME, version, dist } } }),
      )
    }
    await assert.rejects(askRegistry(answer), { stderr: /is not the one of package-lock\.json; nothing is made of it/ })
  })
})
