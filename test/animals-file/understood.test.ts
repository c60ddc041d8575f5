/**
 * What is understood of a file without being told: which column is what, which words mean what, and what is no animal.
 * Tables of kinds; whole lists are in lists.test.ts. What is not clear is asked, once, as a mapping to complete.
 */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { Categories } from '../../src/animals-file/categories.ts'
import { NO_MAPPING, readRules, rulesOf } from '../../src/animals-file/mapping.ts'
import { AnimalsFile } from '../../src/animals-file/read.ts'
import type { CheckedRow, ReadOptions } from '../../src/animals-file/row.ts'
import { flagMeaning, statusOf } from '../../src/animals-file/statuses.ts'
import { stagedRows } from './staged.ts'

const LABELS = new Map([
  [1n, 'Cats'],
  [2n, 'Dog'],
  [3n, 'Ponies'],
  [4n, 'Guinea Pigs'],
  [8n, 'Fish'],
  [9n, 'fish '],
])

function open(text: string, options: Partial<ReadOptions> = {}): AnimalsFile {
  const usual = { rowLimit: 65_536, withIds: false, mapping: NO_MAPPING, categories: new Categories(LABELS) }
  return new AnimalsFile(Readable.from([Buffer.from(text)]), { ...usual, ...options })
}

async function read(text: string, options: Partial<ReadOptions> = {}) {
  const file = open(text, options)
  return { file, rows: (await Array.fromAsync(file.rows())).flat() }
}

/** Each animal in a line, or the problems of the row. */
function said(rows: readonly CheckedRow[]): readonly string[] {
  return rows.flatMap((row) => {
    if ('problems' in row) return `${row.line}: ${row.problems.join('; ')}`
    const { name, categoryId, status = '-', reference, isGone } = row.value
    if (isGone) return []
    return [[...(reference === undefined ? [] : [reference]), name, categoryId, status].join(' ')]
  })
}

const words = (text: string) => text.split(/,\s+/)

const texts = ({ notes }: AnimalsFile) => notes.map(({ text }) => text)

describe('words of statuses', () => {
  const MEANINGS = {
    available: words(`Available, AVAIL, adoptable, Available for Adoption - In Foster, Available - ITFF Behavior,
      available_for_adoption, zu vermitteln, à l'adoption, En adopción, adottabile, Disponível para adoção,
      ter adoptie, do adopcji, Available in foster, Awaiting adoption, Ready to go!`),
    pending: words(`Hold - Adopted!, ADOPT PEND, Adoption Pending, on_hold, In Foster Care,
      Medical Hold - In Foster, Trial adoption, reserviert, Réservée, en proceso, prenotato, lar temporário,
      In optie, dom tymczasowy, Available - Pending, Adoption - pending, Foster to adopt, FOSTER`),
    sold: words(`ADOPTED!!, Adopted 11/20, Adopted - Offsite, Rto-Adopt, Healthy In Home, vermittelt, Adoptée,
      adoptado, adottata, adotado, geplaatst, zaadoptowany, adopted (11/20/2026), Adopted by the Smiths`),
    gone: words(`EUTH, Euthanized - Medical, RTO, PTS, Transfer Out, Unassisted Death - In Care, Return to Owner,
      Reclaimed, Released by Agency, Died in Care, DISPOSAL, Missing, DEAD ON ARRIVAL, verstorben, décédée,
      fallecida, deceduto, óbito, overleden, Terug naar eigenaar, padł, LOST`),
    none: words(`Not Available, UNAVAIL, Not Yet Available, Bite Quarantine, Evaluate, Under Vet Care, NOT ADOPTD,
      STRAY WAIT, Awaiting Evaluation, Not For Adoption (Under age), nicht vermittelbar, non disponible,
      no disponible, não disponível, niet beschikbaar, kwarantanna, Coming soon, FOUND`),
  }

  it('mean the same in any case, language and abbreviation, and with what stands around them', () => {
    for (const [meaning, words] of Object.entries(MEANINGS)) {
      for (const word of words) assert.equal(statusOf(word), meaning, word)
    }
  })

  it('are not understood by their letters', () => {
    const strange = words('zzz, soled, adpoted, constructor, __proto__, A, Smith family, 12')
    for (const word of [...strange, 'x'.repeat(999)]) {
      assert.equal(statusOf(word), undefined, word)
    }
  })

  it('in a heading say what a flag is about', () => {
    const flags = {
      'Adopted?': 'sold',
      ANIMALNOTFORADOPTION: 'none',
      'Is Reserved': 'pending',
      'Deceased Date': 'gone',
    }
    for (const [heading, meaning] of Object.entries(flags)) assert.equal(flagMeaning(heading), meaning, heading)
    for (const heading of ['NoDogs', 'Altered in Care', 'Age', 'Photo'])
      assert.equal(flagMeaning(heading), undefined, heading)
  })
})

describe('columns', () => {
  /** Header, a row, and what is read of it. */
  const TABLE: readonly (readonly [header: string, row: string, animal: string])[] = [
    ['Name,Animal Name,Species', 'Jane Roe,Rex,Dog', 'Rex 2 -'],
    ['Adopter,Email,Animal,Species', 'Jane,j@example.org,Rex,Dog', 'Rex 2 -'],
    ['Animal,Name', 'dog,Rex', 'Rex 2 -'],
    ['Pet Type,Species,PET NAME', 'Wildlife,Dog,Rex', 'Rex 2 -'],
    ['Intake Type,Type,Name', 'STRAY,Dog,Rex', 'Rex 2 -'],
    ['Tiername;Tierart;Vermittlungsstatus', 'Rex;Hund;vermittelt', 'Rex 2 sold'],
    ['Nom de l’animal;Espèce;Statut', 'Rex;Chien;Adopté', 'Rex 2 sold'],
    ['Pet name,Species,Status', ' Rex\t,Dog,Available', 'Rex 2 available'],
    ['name,species,Chip_Status,Kennel_Status', 'Rex,Dog,SCAN CHIP,AVAILABLE', 'Rex 2 available'],
    ['name,species,Outcome Type,Outcome Subtype', 'Rex,Dog,ADOPTION,FOSTER', 'Rex 2 sold'],
    ['name,species,Outcome Type,Status', 'Rex,Dog,,Available', 'Rex 2 available'],
    ['name,species,Where it stands', 'Rex,Dog,In foster', 'Rex 2 pending'],
    ['name,species,Adopted,Reserved', 'Rex,Dog,0,1', 'Rex 2 pending'],
    ['name,species,Adopted?,Date adopted', 'Rex,Dog,Yes,1/2/2026', 'Rex 2 sold'],
    ['name,species,Notes', 'Rex,Dog,Adopted', 'Rex 2 sold'],
    ['name,species,Adopted on,On hold', 'Rex,Dog,,Yes', 'Rex 2 pending'],
    ['name,species,Adopted on,On hold', 'Rex,Dog,1/2/2026,No', 'Rex 2 sold'],
    ['name,species,Available,In foster', 'Rex,Dog,No,Yes', 'Rex 2 pending'],
    ['name,species,Date adopted', 'Rex,Dog,N/A', 'Rex 2 available'],
    ['Animal ID,Name,Species', 'A1,,Dog', 'A1 2 -'],
    ['"Animal\nName",Species', 'Rex,1.0', 'Rex 1 -'],
  ]

  it('are found by headings and values together', async () => {
    for (const [header, row, animal] of TABLE) {
      const { rows } = await read(`${header}\n${row}\n${row.replace('Rex', 'Mia')}\n`)
      assert.equal(said(rows)[0], animal, header)
    }
  })

  it('that two could be are both named, and asked for', async () => {
    const text = 'Name,Species,Status,Adoption Status\nRex,1,available,sold\nMia,1,sold,available\n'
    await assert.rejects(read(text), /"Status" and "Adoption Status" could each be the status\./)
    const chosen = await read(text, { mapping: readRules(['status=Adoption Status']) })
    assert.deepEqual(said(chosen.rows), ['Rex 1 sold', 'Mia 1 available'])
    const none = await read(text, { mapping: readRules(['status=']) })
    assert.deepEqual(said(none.rows), ['Rex 1 -', 'Mia 1 -'])
    const two = 'ID,Code,Name,Species\n71,a,Rex,1\n42,b,Mia,1\n'
    await assert.rejects(read(two, { isSync: true }), /"ID" and "Code" could each be the reference/)
    assert.deepEqual(said((await read('Chip,Animal #,Name,Species\nc,a,Rex,1\n', { isSync: true })).rows), [
      'a Rex 1 -',
    ])
  })

  it('that number a place or a bill, or count the rows, are no references', async () => {
    const reference = async (heading: string, numbers: readonly string[]) => {
      const rows = numbers.map((number, n) => `${number},Pet${n},Dog\n`)
      return (await read(`${heading},Name,Species\n${rows.join('')}`)).file.facts.reference
    }
    for (const heading of ['Kennel No', 'Kennel #', 'Cage number', 'Run #', 'Invoice No', 'License No'])
      assert.equal(await reference(heading, ['K12', 'K7', 'K40']), undefined, heading)
    for (const heading of ['No.', '#', 'Lfd. Nr.']) {
      assert.equal(await reference(heading, ['1', '2', '3']), undefined, heading)
      assert.equal(await reference(heading, ['31', '12', '25']), heading)
    }
    assert.equal(await reference('Animal ID', ['1', '2', '3']), 'Animal ID')
  })

  it('that no row needs may be missing from it', async () => {
    const { rows } = await read('Name,Species,Notes\nRex,1\nMia,1,\n,,\nTom\n')
    assert.deepEqual(said(rows), ['Rex 1 -', 'Mia 1 -', '5: has 1 fields where the header has 3'])
  })
})

describe('columns of yes and no', () => {
  const STRONGEST_FIRST = {
    gone: words('Deceased, Died?, Euthanized, Transferred, transferred_out, Returned to owner, Verstorben, Décédé'),
    sold: words('Adopted, Is Adopted, Rehomed, Sold, Vermittelt, Adopté, Adoptado'),
    none: words('Not for adoption, NotForAdoption, Quarantine, Not available'),
    pending: words('On hold, Reserved, Pending, Adoption pending, In foster, Foster, Trial, Reserviert, Réservé'),
    available: words('Available, Adoptable, Available for adoption'),
  }
  const families = Object.entries(STRONGEST_FIRST)

  it('say a status by their heading, of any family', async () => {
    for (const [meaning, headings] of families) {
      for (const heading of headings) {
        const { file, rows } = await read(`Name,Species,${heading}\nRex,Dog,Yes\nMia,Dog,No\n`)
        const yes = meaning === 'gone' ? [] : [`Rex 2 ${meaning === 'none' ? '-' : meaning}`]
        assert.deepEqual(said(rows), [...yes, `Mia 2 ${meaning === 'available' ? '-' : 'available'}`], heading)
        assert.equal(file.facts.rows.gone.count, meaning === 'gone' ? 1 : 0, heading)
      }
    }
  })

  it('count by the strongest that says yes', async () => {
    for (const [index, [strong, [first]]] of families.entries()) {
      for (const [, [other]] of families.slice(index + 1)) {
        for (const header of [`${first},${other}`, `${other},${first}`]) {
          const { rows } = await read(`Name,Species,${header}\nRex,Dog,x,x\n`)
          assert.deepEqual(said(rows), strong === 'gone' ? [] : [`Rex 2 ${strong === 'none' ? '-' : strong}`], header)
        }
      }
    }
  })
})

describe('kinds of animals', () => {
  it('are the categories that are there, by number, plural, or in another language; what could be two is asked', () => {
    const categories = new Categories(LABELS)
    const ids = { cats: 1n, CAT: 1n, Katze: 1n, dógs: 2n, 'guinea-pig': 4n, '-7': -7n, '2.0': 2n }
    for (const [word, id] of Object.entries(ids)) {
      assert.deepEqual('id' in categories.of(word) && categories.of(word), { ...categories.of(word), id }, word)
    }
    assert.deepEqual(categories.of('fish'), { problem: 'could be 8 or 9; write the number' })
    for (const word of ['Cart', 'kitten', '07', '9223372036854775808', 'constructor']) {
      assert('problem' in categories.of(word), word)
    }
  })

  it('that are new get the first numbers that nothing has, once each, and no number of the file means two things', () => {
    const gaps = [
      { low: 0n, high: 3n },
      { low: 4n, high: 99n },
    ]
    const categories = new Categories(new Map([[1n, 'Cats']]), { gaps })
    assert.deepEqual(categories.of('6'), { id: 6n })
    const ids = ['Rabbit', 'rabbits', 'Emu', 'emu', 'Hen', 'cat'].map((word) => categories.of(word))
    assert.deepEqual(
      ids.map((meaning) => 'id' in meaning && meaning.id),
      [2n, 2n, 5n, 5n, 7n, 1n],
    )
    assert.deepEqual(Object.fromEntries(categories.added), { 2: 'Rabbit', 5: 'Emu', 7: 'Hen' })
    assert.deepEqual(categories.of('5'), { problem: 'is the number that "Emu" is given here; name it before' })
    const rule = 'a label is 1 to 200 printable characters, without line breaks and control characters'
    for (const text of ['a\u202eb', 'x'.repeat(201)])
      assert.deepEqual(categories.of(text), { problem: `cannot be the name of a category: ${rule}` })
  })

  it('follow from the name’s heading, a title or the file’s name, or are told', async () => {
    const list = (name: string) => `${name},Status\nRex,sold\nMia,hold\n`
    for (const [text, source] of [
      [list("Dog's name"), 'list.csv'],
      [`ALL OUR DOGS\n${list('Name')}`, 'list.csv'],
      [list('Name'), 'dogs_2026.csv'],
    ] as const) {
      const { file, rows } = await read(text, { source })
      assert.deepEqual(said(rows), ['Rex 2 sold', 'Mia 2 pending'])
      assert(
        texts(file).some((text) =>
          text.startsWith('No column says what kind of animal it is: the category of all is "Dog"'),
        ),
      )
    }
    const sections = await read('No,Name,Status\nDOGS,,\n1,Rex,Sold\nCats:,,\n2,Mia,Hold\n')
    assert.deepEqual(said(sections.rows), ['Rex 2 sold', 'Mia 1 pending'])
    assert(texts(sections.file).includes('The category of the rows below them: "DOGS" on line 2; "Cats" on line 4.'))
    await assert.rejects(
      read(list('Name'), { source: 'cats-and-dogs.csv' }),
      /is understood as the category; .* say --category NAME\./,
    )
    const told = await read(list('Name'), { mapping: readRules(['category=', 'category:=Cats']) })
    assert.deepEqual(said(told.rows), ['Rex 1 sold', 'Mia 1 pending'])
  })
})

describe('reports', () => {
  it('have titles, totals, repeated headings and other lines, which are left out and told', async () => {
    const header = 'Animal ID,Name,Species,Status'
    const { file, rows } = await read(
      `Inventory,,,\n"As of 1/1, all",,,\n\n${header}\nA1,Rex,Dog,Hold\n${header}\nA2,,Cat,Available\n,,,\nTotal: 2,,,\nPrinted by X,,,\n`,
    )
    assert.deepEqual(said(rows), ['Rex 2 pending', 'A2 1 available'])
    assert.deepEqual(texts(file), [
      'Understood: "Hold" is pending.',
      'Categories by another form of their name: "Cat" is 1 (Cats).',
      'The lines before line 4 are above the heading, and left out: "Inventory / As of 1/1, all".',
      'The header is there again on line 6, and left out.',
      'Totals, and other lines that are no animal, are left out on 2 lines (9, 10).',
      'No name on line 7: such an animal is called by its number.',
    ])
  })

  it('have the dead and the departed, which are left out and told; who has no outcome is there', async () => {
    const text = 'Animal ID,Name,Species,Outcome Type\n1,Rex,Dog,ADOPTION\n2,Mia,Cat,EUTH\n3,Tom,Dog,\n4,,Dog,RTO\n'
    const { file, rows } = await read(text)
    assert.deepEqual(said(rows), ['Rex 2 sold', 'Tom 2 available'])
    assert.equal(file.facts.rows.gone.count, 2)
    assert(texts(file).includes('Not there any more, and left out: "EUTH" on line 3; "RTO" on line 5.'))
  })

  it('have nobody available who has left by any column, also where the first thousand rows say nothing of it', async () => {
    for (const [header, alive, gone] of [
      ['Status,Date of death', 'Available,', 'Available,2026-11-03'],
      ['Status,Deceased', 'Available,', 'Available,Yes'],
      ['Status,Adoption Date', 'Available,', 'Available,11/2/2026'],
      ['Status,Location', 'Available,Kennel 4', 'Available,DOA'],
      ['status,health_status', 'available,healthy', 'available,deceased'],
      ['Outcome Type,Euthanized', ',', ',1'],
    ] as const) {
      const many = `Rex,Dog,${alive}\n`.repeat(1_100)
      const { rows } = await read(`Name,Species,${header}\n${many}Luna,Dog,${gone}\n`)
      assert.equal(said(rows)[0], 'Rex 2 available', header)
      assert(!said(rows).includes('Luna 2 available'), header)
    }
  })

  it('have what a database writes for no day, which says neither that an animal left nor when it came', async () => {
    const none = words('0000-00-00, 0000-00-00 00:00:00, 0001-01-01T00:00:00, 1899-12-30, 1900-01-01')
    for (const [day, empty] of [
      ...none.map((one) => ['2026-11-03', one] as const),
      ['11/3/2026', '1/1/0001 12:00:00 AM'] as const,
    ]) {
      const there = Array.from({ length: 9 }, (_, n) => `${n},Rex,Dog,${empty},${empty}\n`)
      const { rows } = await read(`ID,Name,Species,Intake date,Adopted on\n${there.join('')}9,Mia,Cat,${day},${day}\n`)
      const values = rows.map((row) => ('value' in row ? [row.value.status, row.value.cameOn] : row.problems))
      assert.deepEqual(values[0], ['available', undefined], empty)
      assert.deepEqual(values.at(-1), ['sold', Date.UTC(2026, 10, 3) / 86_400_000], empty)
    }
  })

  it('have an animal for each stay, of which the newest counts', async () => {
    const header = 'Animal ID,Name,Species,Intake Date,Outcome Date,Outcome Type\n'
    for (const [older, newer] of [
      ['1,Rex,Dog,1/2/2026,2/2/2026,RTO', '1,Rex,Dog,10/1/2026,10/9/2026,ADOPTION'],
      ['1,Rex,Dog,1/2/2026,2/2/2026,EUTH', '1,Rex,Dog,1/2/2026,10/9/2026,ADOPTION'],
      ['1,Rex,Dog,31/1/2026,,RTO', '1,Rex,Dog,2/11/2026,3/11/2026,ADOPTION'],
    ] as const) {
      for (const rows of [`${older}\n${newer}`, `${newer}\n${older}`]) {
        const file = open(`${header}${rows}\n2,Mia,Cat,1/1/2026,2/1/2026,ADOPTION\n`)
        const found = await stagedRows(file)
        assert.deepEqual(found.map(({ name, status }) => `${name} ${status}`).sort(), ['Mia sold', 'Rex sold'], rows)
        const line = rows.startsWith(older) ? 2 : 3
        const told = `Several rows are about one animal: the newest counts, and older ones are left out on line ${line}.`
        assert(texts(file).includes(told), String(texts(file)))
      }
    }
    const last = await stagedRows(open('ref,name,species\na,Rex,1\nA ,Rex,2\n', { isSync: true, reference: 'ref' }))
    assert.deepEqual(last, [{ reference: 'A', name: 'Rex', categoryId: 2n, status: 'none' }])
  })
})

describe('what is not understood', () => {
  it('is asked once, columns and words together, as a mapping that reads the file when it is completed', async () => {
    const text = 'ID,Pet name,Kind of,Status\n11,Rex,Hound,Blue\n12,Mia,Lion,Adopted\n13,Tom,Lion,"Blue, dark"\n'
    const { file, rows } = await read(text, { mapping: readRules(['category=Kind of']) })
    assert.equal(rows.filter((row) => 'problems' in row).length, 3)
    const open = `reference = ID; name = Pet name; status = Status; status: Adopted = sold;
      # a status means available, pending, sold, none, gone; # on line 2; status: Blue = ?;
      # on line 4; status: Blue, dark = ?;
      # a category means its number, or a name that is there; # on 2 lines (3, 4); category: Lion = ?;
      # on line 2; category: Hound = ?`
    assert.deepEqual(file.facts.openRules, open.split(/;\s+/))
    const rules = file.facts.openRules.filter((rule) => !rule.startsWith('#'))
    assert.throws(() => readRules(rules), /still to be completed/)
    const completed = rules.map((rule) =>
      rule.replace(/(status.*) \?$/, '$1 none').replace(/(category.*) \?$/, '$1 cats'),
    )
    const mapping = readRules(completed, readRules(['category=Kind of']))
    const again = await read(text, { mapping })
    assert.deepEqual(said(again.rows), ['Rex 1 -', 'Mia 1 sold', 'Tom 1 -'])
    assert.deepEqual(again.file.facts.openRules, [])
    assert.deepEqual(readRules(rulesOf(mapping)), mapping)
  })

  it('and a mapping ranks before what is known', async () => {
    const mapping = readRules('status:died=,status:adopted=pending,status:=available,categoryId:pup=Dogs'.split(','))
    const { rows } = await read('name,categoryId,status\na,1,Died\nb,1,Adopted\nc,pup,\n', { mapping })
    assert.deepEqual(said(rows), ['a 1 -', 'b 1 pending', 'c 2 available'])
  })
})
