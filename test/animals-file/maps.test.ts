/** Mappings by name: files of rules, and the ready ones, of which lists.test.ts has the lists of three. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Categories } from '../../src/animals-file/categories.ts'
import { mappingOf, readRules } from '../../src/animals-file/mapping.ts'
import { AnimalsFile } from '../../src/animals-file/read.ts'
import { temporaryFolder } from '../support/folder.ts'
import { stagedRows } from './staged.ts'

/** Invented animals, in the columns and words that the systems document. */
const LISTS = [
  {
    name: 'asm3',
    reference: 'ANIMALCODE',
    list: 'ANIMALID,ANIMALCODE,ANIMALNAME,ANIMALTYPE,ANIMALSPECIES,ANIMALDECEASEDDATE,ANIMALNOTFORADOPTION,ANIMALNONSHELTER,MOVEMENTTYPE\n1,"S1","Rex","D (Dog)","Dog","","0","0","0"\n,"S1","Rex","","","","","",""\n2,"S2","Mia","S (Stray)","Cat","","1","0","0"\n3,"S3","Tom","D","Dog","","0","0","1"\n4,"S4","Bo","D","Dog","01/11/2026","0","0","0"\n5,"S5","Al","D","Dog","","0","1","0"\n6,"S6","Di","D","Dog","","0","0","5"\n',
    animals: ['S1 Rex 1 available', 'S2 Mia 2 none', 'S3 Tom 1 sold'],
  },
  {
    name: 'shelterluv',
    reference: 'Animal ID',
    list: 'Animal ID,Name,Species,Sex,Current Status,Adoptable\nS-A-1,Rex,Dog,Male,Available,Yes\nS-A-2,Mia,Cat,Female,Foster - Medical Hold,No\nAnimal ID,Name,Species,Sex,Current Status,Adoptable\n',
    animals: ['S-A-1 Rex 1 available', 'S-A-2 Mia 2 none'],
  },
] as const

async function animalsOf(list: string, maps: readonly string[], reference: string): Promise<string[]> {
  const bytes = (async function* () {
    yield Buffer.from(list)
  })()
  const categories = new Categories(
    new Map([
      [1n, 'Dog'],
      [2n, 'Cat'],
    ]),
  )
  const mapping = await mappingOf(maps)
  const file = new AnimalsFile(bytes, {
    rowLimit: 65_536,
    withIds: false,
    mapping,
    isSync: true,
    reference,
    categories,
  })
  const rows = await stagedRows(file)
  return rows.map(({ reference, name, categoryId, status }) => [reference, name, categoryId, status].join(' '))
}

describe('mappings by name', () => {
  const folder = temporaryFolder()

  it('that are ready read the lists of their systems', async () => {
    for (const { name, list, reference, animals } of LISTS) {
      assert.deepEqual(await animalsOf(list, [`@${name}`], reference), animals, name)
    }
  })

  it('that are ready rank behind rules that are given', async () => {
    const { list, reference } = LISTS[1]
    const found = await animalsOf(list, ['status:no=pending'], reference)
    assert.deepEqual(found, ['S-A-1 Rex 1 available', 'S-A-2 Mia 2 pending'])
  })

  it('that are files have a rule on each line, and of rules for the same thing the later one counts', async () => {
    const map = join(folder, 'weekly.map')
    writeFileSync(map, '\ufeff# Mondays\r\n\r\ncategoryId=Kind\r\ncategoryId:Hund=7\nstatus:lost=\nstatus=Outcome\n')
    const list = 'ref,Pet Name,Kind,Outcome\na,Rex,Hund,lost\nb,Mia,Katze,lost\n'
    for (const encoding of ['latin1', 'utf16le'] as const) {
      writeFileSync(`${map}.${encoding}`, 'status:Zoë=sold\n', encoding)
      assert.deepEqual(await mappingOf([`@${map}.${encoding}`]), readRules(['status:Zoë=sold']))
    }
    assert.deepEqual(await animalsOf(list, [`@${map}`, 'categoryId:Katze=8,status:lost=sold'], 'ref'), [
      'a Rex 7 sold',
      'b Mia 8 sold',
    ])
  })

  it('that are not there are refused, with those that are ready', async () => {
    await assert.rejects(
      mappingOf(['@weekly']),
      /There is no file weekly, and the mappings that are ready are @asm3, @shelterluv, @rescuegroups, @petfinder, @longbeach\.$/,
    )
  })
})
