/** Modules of a page, joined into one script: what it does, and what is refused. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { joinModules } from '../../src/assets/join.ts'

const join = (modules: Record<string, string>) =>
  joinModules('page/main.js', async (path) => {
    const text = modules[path]
    if (text === undefined) throw new Error(`there is no ${path}`)
    return text
  })

/** Runs the script as a browser does, and gives what its modules put into `said`. */
async function run(script: string): Promise<unknown[]> {
  const said: unknown[] = []
  Object.assign(globalThis, { said })
  await import(`data:text/javascript,${encodeURIComponent(script)}`)
  return said
}

describe('modules joined into one script', () => {
  it('run once each, after those that they import, and see each other’s exports and nothing else', async () => {
    const script = await join({
      'page/main.js': `
import { double } from './double.js'
import {
  COUNT,
  Shared,
} from '../client/index.js'
const own = 'main'
said.push(await Promise.resolve(own), double(COUNT), Shared.name)`,
      'page/double.js': `
import { COUNT } from '../client/count.js'
const own = 'double'
said.push(own)
export async function later() {}
export function double(n) { return n * 2 + COUNT - COUNT }`,
      'client/index.js': `export { COUNT, } from './count.js'
export {  } from './types.js'
export class Shared {}`,
      'client/count.js': `said.push('count')
export const COUNT = 21`,
      'client/types.js': '',
    })
    assert.deepEqual(await run(script), ['count', 'double', 'main', 42, 'Shared'])
  })

  for (const [what, text] of Object.entries({
    'another name': `import { a as b } from './other.js'`,
    'a whole module': `import * as other from './other.js'`,
    'a default export': 'export default 1',
    'a default import': `import other from './other.js'`,
    'a package': `import { a } from 'package'`,
    'a variable': 'export let a = 1',
    'names apart': 'const a = 1\nexport { a }',
  })) {
    it(`are refused by the name of the file where they have ${what}`, async () => {
      const refused = join({ 'page/main.js': text, 'page/other.js': 'export const a = 1' })
      await assert.rejects(refused, /^Error: page\/main\.js cannot be joined because .+/)
    })
  }

  it('are refused where they import each other in a circle', async () => {
    const modules = {
      'page/main.js': `import { a } from './a.js'`,
      'page/a.js': `import { b } from './b.js'\nexport const a = 1`,
      'page/b.js': `import { a } from './a.js'\nexport const b = 1`,
    }
    await assert.rejects(join(modules), /page\/a\.js imports itself/)
  })
})
