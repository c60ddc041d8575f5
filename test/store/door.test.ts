/** What a process loads, and when; what reaches the engines is one door. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const ENGINES = /from '[^']*\/store\/(?:sqlite|postgres)\/|import\('[^']*\/store\/(?:sqlite|postgres)\//

/** Of a folder of `src`, what a process has loaded when it has run `code`, which may use `store` (open.ts) and `url`. */
function loadedBy(code: string, folder = 'store'): readonly string[] {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const store = await import('${ROOT}/src/store/open.ts')
    const { systemClock: clock } = await import('${ROOT}/src/common/system-clock.ts')
    const url = 'sqlite:${temporaryFolder()}/pets.db'
    ${code}
    console.log(loaded.flatMap((url) => /src\\/${folder}\\/(.*)$/.exec(url)?.[1] ?? []).join('\\n'))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  return output.trim().split('\n')
}

it('a service loads nothing of the office before it is asked for', () => {
  const load = `await import('${ROOT}/src/service/service.ts')`
  assert(loadedBy(load, 'service').includes('service.ts'))
  assert.deepEqual(loadedBy(load, 'office'), [''])
})

it('the office loads neither the words of all languages nor the public page before it is asked for', () => {
  const load = `await import('${ROOT}/src/office/office.ts')`
  const ofFiles = loadedBy(load, 'animals-file')
  assert(ofFiles.includes('mapping.ts'), ofFiles.join())
  for (const file of ['lists.ts', 'reader.ts', 'lexicon.ts', 'languages/index.ts'])
    assert(!ofFiles.includes(file), file)
  assert.deepEqual(loadedBy(load, 'public-page'), [''])
})

describe('the engines of the store', () => {
  it('are reached from outside by open.ts alone', () => {
    const files = execFileSync('git', ['ls-files', 'src/*.ts'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
    const outside = files.filter((file) => !file.startsWith('src/store/'))
    assert(outside.length > 100, `${outside.length} files`)
    assert.deepEqual(
      outside.filter((file) => ENGINES.test(readFileSync(join(ROOT, file), 'utf8'))),
      [],
    )
  })

  it('are loaded when they are asked for: the door itself loads none', () => {
    assert.deepEqual(loadedBy(''), ['open.ts', 'store.ts', 'errors.ts'])
  })

  it('load nothing in a service on SQLite that only another engine or a writer needs', () => {
    const loaded = loadedBy(`
      const opened = await store.openStore(url, { serving: true, clock })
      await opened.pets.list({ limit: 20, status: undefined, before: undefined })
      await opened.close()`)
    assert(loaded.includes('sqlite/reading/pets.ts'), loaded.join())
    const ofReader = /^[a-z-]+\.ts$|^sqlite\/(?:store\.ts|(?:file|reading)\/)/
    assert.deepEqual(loaded.filter((file) => !ofReader.test(file)).sort(), [
      'sqlite/operator/thread.ts',
      'sqlite/writing/writer-thread.ts',
    ])
    for (const file of ['operator-side.ts', 'records.ts', 'sqlite/maintenance/inspect.ts']) {
      assert(!loaded.includes(file), file)
    }
  })

  it('load no large module of Node in a thread of SQLite', () => {
    const script = `
      for (const file of ['operator/open', 'operator/scanners', 'writing/file-writer'])
        await import('${ROOT}/src/store/sqlite/' + file + '.ts')
      console.log(process.moduleLoadList.join('\\n'))`
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
    const loaded = output.split('\n')
    assert(loaded.includes('NativeModule sqlite'), output)
    for (const name of ['crypto', 'child_process', 'http', 'stream/web']) {
      assert(!loaded.includes(`NativeModule ${name}`), name)
    }
  })
})
