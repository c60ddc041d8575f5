/**
 * The image of deploy/Dockerfile is whole: a folder with what it copies, and nothing else but the packages, starts the
 * service with its pages, and serves everything that the pages load.
 */
import assert from 'node:assert/strict'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, 'deploy', file), 'utf8')

/** What the Dockerfile copies, from where and to where. */
function copies(): readonly (readonly [source: string, target: string])[] {
  const lines = [...read('Dockerfile').matchAll(/^COPY (?!--)(.+) (\S+)$/gm)]
  return lines.flatMap(([, sources = '', target = '']) =>
    sources.split(' ').map((source) => [source, target.endsWith('/') ? join(target, source) : target] as const),
  )
}

/** The paths that an HTML page or a script loads, by the path of each. */
function loaded(path: string, text: string): string[] {
  const links = [...text.matchAll(/(?:href|src)="([^"#:]+)"|^(?:import|export)\b[^'"\n]*'(\.[^']+)'/gm)]
  return links.map(([, link, module]) => new URL(link ?? module ?? '', `http://x${path}`).pathname)
}

describe('the image', () => {
  it('has everything that the service and its pages need', async () => {
    const folder = temporaryFolder()
    for (const [source, target] of copies()) cpSync(join(ROOT, source), join(folder, target), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const entry = /^ENTRYPOINT \["node", "([^"]+)"\]$/m.exec(read('Dockerfile'))?.[1]
    assert(entry !== undefined)
    await using service = await startService({
      // The command line of the project's own files is replaced by that of the copy.
      launcher: ['sh', '-c', `node=$1; cd "$0" && shift 2 && exec "$node" ${entry} "$@"`, folder],
      env: { PETS_PAGES: 'true' },
    })
    const todo = ['/', '/docs', '/openapi.json']
    const seen = new Set(todo)
    for (const path of todo) {
      const answer = await fetch(new URL(path, service.baseUrl))
      assert.equal(answer.status, 200, path)
      const text = await answer.text()
      for (const next of /html|javascript/.test(answer.headers.get('content-type') ?? '') ? loaded(path, text) : []) {
        if (next.endsWith('scalar.js') || seen.has(next)) continue
        seen.add(next)
        todo.push(next)
      }
    }
    assert(seen.has('/client/src/client.ts') && seen.has('/src/pages/front-desk/desk.css'), [...seen].join(' '))
  })

  it('has every file that it copies in its build context', () => {
    const ignored = read('Dockerfile.dockerignore').split('\n')
    assert.equal(ignored[0], '*')
    for (const [source] of copies()) assert(ignored.includes(`!${source}`), `${source} is not ignored`)
  })
})
