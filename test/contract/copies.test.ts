/** What is declared once and repeated elsewhere is compared with its declaration. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { PetAdoption } from '../../client/src/index.ts'
import { EACH_OPERATION as OF_KIT, PLANS as PLANS_OF_KIT } from '../../conformance/src/interface.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { FILTER_NAMES } from '../../src/contract/pet-filter.ts'
import { PLANS } from '../../src/contract/plans.ts'
import { PLANS as PLANS_OF_MODEL } from '../model/operator.ts'
import { FILTERS } from '../model/pets.ts'

const read = (file: string) => readFileSync(`${import.meta.dirname}/../../${file}`, 'utf8')

describe('the plans (R14)', () => {
  const figures = Object.entries(PLANS).flatMap(([name, quota]) =>
    quota === undefined ? [] : [[name, quota] as const],
  )

  it('are in the table of README.md, with their figures', () => {
    const [, table = ''] = /^\| plan \|.*\n\|[-:| ]+\|\n((?:\|.*\n)+)/m.exec(read('README.md')) ?? []
    const cells = table.split('\n').map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    const names = cells.slice(0, -1).map(([, name]) => name)
    assert.deepEqual(names, Object.keys(PLANS), 'give README.md the plans of src/contract/plans.ts')
    for (const [name, { perMinute, perDay }] of figures) {
      const row = cells.find(([, plan]) => plan === name)
      const written = [perMinute, perDay].map((n) => n.toLocaleString('en'))
      assert.deepEqual(row?.slice(2, 4), written, `give README.md the figures of ${name}`)
    }
  })

  it('are those of the conformance kit and of the model of the tests', () => {
    const ofKit = Object.entries(PLANS_OF_KIT).map(([name, quota]) => [name.toLowerCase(), quota])
    assert.deepEqual(ofKit, figures, 'correct conformance/src/interface.ts')
    assert.deepEqual(Object.entries(PLANS_OF_MODEL), figures, 'correct test/model/operator.ts')
  })
})

describe('the operations (R7-R9, R11)', () => {
  /** What each is, and the names that it takes in its query or its body. */
  const declared = Object.entries(OPERATIONS).map(([name, { method, path, parameters, responses, ...operation }]) => ({
    name,
    method,
    path,
    // What comes with a 429 (O9), and what a wrong query gets (O16), is open.
    statuses: Object.keys(responses)
      .map(Number)
      .filter((status) => status !== 429 && (status !== 400 || 'body' in operation)),
    query: parameters.flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : [])),
    members: 'body' in operation ? Object.keys(operation.body.properties) : [],
  }))

  it('are each in CHANGELOG.md, and have a heading in docs/interface.md, above a table of what they take', () => {
    const changelog = read('CHANGELOG.md')
    const sections = read('docs/interface.md').split(/^#+ /m)
    for (const { name, method, path, query, members } of declared) {
      const [, ...mentions] = changelog.split(`\`${method} ${path}\``)
      assert(mentions.length > 0, `tell \`${method} ${path}\` in CHANGELOG.md`)
      const untold = query.filter((each) => !mentions.some((text) => /^[^.]*/.exec(text)?.[0].includes(`\`${each}\``)))
      assert.deepEqual(untold, [], `tell in CHANGELOG.md, in a sentence, that \`${method} ${path}\` takes these`)
      const section = sections.find((text) => text.split('\n')[0]?.includes(`\`${method} ${path}\``))
      assert(section !== undefined, `give docs/interface.md a heading with \`${method} ${path}\`, which is ${name}`)
      const rows = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, first]) => first)
      assert.deepEqual(rows, [...query, ...members], `give docs/interface.md what ${method} ${path} takes`)
    }
  })

  it('are methods of the client, each also withResponse, and rows of its README', () => {
    const { withResponse } = new PetAdoption({ baseUrl: 'http://127.0.0.1/v1', apiKey: 'key' })
    const names = declared.map(({ name }) => name)
    assert.deepEqual(Object.keys(withResponse), names, 'give withResponse in client/src/client.ts each operation')
    const methods = Object.getOwnPropertyNames(PetAdoption.prototype)
    const without = names.filter((name) => !methods.includes(name))
    assert.deepEqual(without, [], 'give PetAdoption in client/src/client.ts a method for each operation')
    const readme = read('client/README.md')
    const rows = declared.flatMap((row) => (row.name === 'listPets' ? [row, { ...row, name: 'pages' }] : [row]))
    for (const { name, query, members } of rows) {
      const [, taken = ''] = new RegExp(`^\\| \`${name}\\((.*)\\)\` \\|`, 'm').exec(readme) ?? []
      assert(readme.includes(`| \`${name}(`), `give client/README.md a row for ${name}(…)`)
      const inBraces = [...query, ...members].join(', ')
      if (inBraces !== '')
        assert.equal(taken, `{ ${inBraces} }`, `give the row of ${name} in client/README.md what it takes`)
    }
  })

  it('are those of the conformance kit, with what it may ask of them and be answered', () => {
    for (const { name, members: _, ...operation } of declared) {
      const { method, path, statuses, query } = OF_KIT.find((each) => each.name === name) ?? {}
      assert.deepEqual({ method, path, statuses, query }, operation, `correct ${name} in conformance/src/interface.ts`)
    }
  })
})

it('the filters of the list are those of the model, and R8 and O16 of docs/interface.md name them (R8)', () => {
  assert.deepEqual(Object.keys(FILTERS), FILTER_NAMES, 'give FILTERS in test/model/pets.ts each filter')
  for (const [statement, names] of [
    ['R8', FILTER_NAMES],
    ['O16', ['limit', ...FILTER_NAMES]],
  ] as const) {
    const row = new RegExp(`^\\| ${statement} \\|.*$`, 'm').exec(read('docs/interface.md'))?.[0] ?? ''
    const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    const missing = names.filter((name) => !named.includes(name))
    assert.deepEqual(missing, [], `give ${statement} of docs/interface.md each`)
  }
})
