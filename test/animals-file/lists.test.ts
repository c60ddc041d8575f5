/**
 * Lists as shelters have them: open data of cities, exports of systems, sheets of rescues in eight languages, invented
 * animals under real headings and words. Each is read with no mapping, as a sync and as an import, and what is read is
 * what a careful person would take from it (`expected.txt`: reference, name, category, status; `/` between what is as
 * right). Who is gone may be left out.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { NO_MAPPING, readRules } from '../../src/animals-file/mapping.ts'
import { AnimalsFile } from '../../src/animals-file/read.ts'
import { UnreadableFile } from '../../src/animals-file/row.ts'
import { fold } from '../../src/common/fold.ts'
import { anyCategories, pieces, stagedRows } from './staged.ts'

interface Animal {
  readonly reference: string
  readonly name: string
  readonly category: string
  readonly status: readonly string[]
}

const HERE = join(import.meta.dirname, 'lists')
/** Bytes that are read at once, so that a character, a quote and a line end are cut. */
const PIECE = 97

function* listsIn(folder: string) {
  for (const part of readFileSync(join(HERE, folder, 'expected.txt'), 'utf8')
    .trim()
    .split('\n\n')) {
    const [title = '', ...lines] = part.split('\n')
    const [, file = '', reference = ''] = /^## (.+?): (.+)$/.exec(title) ?? []
    const animals = lines.map((line): Animal => {
      const [ref = '', name = '', category = '', status = ''] = line.split('|').map((cell) => cell.trim())
      return { reference: ref, name, category, status: status.split('/') }
    })
    yield { file: join(HERE, folder, file), reference, animals }
  }
}

async function read(file: string, reference: string | undefined, mapping = NO_MAPPING): Promise<Animal[]> {
  const categories = anyCategories()
  const isSync = reference !== undefined
  const options = { rowLimit: 65_536, withIds: false, mapping, categories, isSync, reference }
  const list = new AnimalsFile(pieces(readFileSync(file), PIECE), { ...options, source: file })
  const rows = await stagedRows(list)
  return rows.map(({ categoryId, status, ...row }) => ({
    ...row,
    category: categories.added.get(categoryId) ?? '',
    status: [status],
  }))
}

/** The kind of an animal, without the plural. */
function kind(category: string): string {
  return fold(category).replace(/s$/, '')
}

function assertAs(
  file: string,
  found: readonly Animal[],
  expected: readonly Animal[],
  isSame: (a: Animal, b: Animal) => boolean,
) {
  const left = [...found]
  for (const one of expected) {
    const at = left.findIndex((animal) => isSame(animal, one))
    if (at === -1 && one.status.includes('none')) continue
    assert(at !== -1, `${file}: ${one.reference} ${one.name} is missing`)
    const [animal] = left.splice(at, 1)
    assert(one.status.includes(animal?.status[0] ?? ''), `${file}: ${one.reference} is ${animal?.status[0]}`)
    assert.equal(kind(animal?.category ?? ''), kind(one.category), `${file}: ${one.reference}`)
    if (one.name !== '') assert.equal(animal?.name, one.name, file)
  }
  assert.deepEqual(left, [], file)
}

describe('lists as shelters have them are read rightly with no mapping', () => {
  for (const folder of ['portals', 'systems', 'sheets']) {
    it(`those of ${folder}, to be kept in step by their references`, async () => {
      for (const { file, reference, animals } of listsIn(folder)) {
        assertAs(file, await read(file, reference), animals, (a, b) => a.reference === b.reference)
      }
    })

    it(`those of ${folder}, to be added`, async () => {
      for (const { file, reference, animals } of listsIn(folder)) {
        const found = await read(file, undefined).catch((error: unknown) => {
          assert(error instanceof UnreadableFile && error.what.endsWith('could each be the reference.'), `${error}`)
          return read(file, undefined, readRules([`reference=${reference}`]))
        })
        // An animal without a name is called by its number.
        assertAs(file, found, animals, (a, b) => a.name === b.name || (b.name === '' && a.name === b.reference))
      }
    })
  }

  it('and every list is expected to be something', () => {
    for (const folder of ['portals', 'systems', 'sheets']) {
      const files = readdirSync(join(HERE, folder)).filter((file) => file !== 'expected.txt')
      assert.deepEqual(
        [...listsIn(folder)].map(({ file }) => file).sort(),
        files.map((file) => join(HERE, folder, file)).sort(),
      )
    }
  })
})
