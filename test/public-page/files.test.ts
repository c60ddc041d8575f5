/** What the files of the public page say, whatever the animals are called: from a real store into a real folder. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { XMLValidator } from 'fast-xml-parser'
import type { NewPet, PetStatus } from '../../src/contract/schemas.ts'
import type { Settings } from '../../src/domain/settings.ts'
import { GENERATOR } from '../../src/public-page/folder.ts'
import { LANGUAGES } from '../../src/public-page/languages.ts'
import { publish } from '../../src/public-page/publisher.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { pets } from '../support/commands/commands.ts'
import { newDatabase, temporaryFolder } from '../support/folder.ts'
import { authorAt } from '../support/store.ts'
import { clockAt, patientClock } from '../support/time/clock.ts'

const START_MS = Date.UTC(2026, 10, 23, 12)
const BY = authorAt(START_MS)
const DOG = { categoryId: 1n, status: 'available' } as const

describe('the public page', () => {
  let folder: string
  let store: Store
  const url = newDatabase()
  const animals: { readonly id: bigint; readonly json: string }[] = []
  const make = (title = 'Our animals', nowMs = START_MS, statuses: readonly PetStatus[] = ['available']) =>
    publishWith({ statuses: statuses.join(), title }, folder, nowMs)
  /** With settings for this time only. */
  const publishWith = async (settings: Settings, to: string, nowMs = START_MS) => {
    await store.words.setShelter(settings, BY)
    const published = await publish(store, to, nowMs)
    await store.words.setShelter(Object.fromEntries(Object.keys(settings).map((name) => [name, ''])), BY)
    return published
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const add = async (pet: NewPet) => {
    const added = await store.pets.create(pet)
    animals.unshift(added)
    return added.id
  }

  before(async () => {
    folder = temporaryFolder()
    store = await openStore(url, { serving: false, clock: clockAt(() => START_MS) })
    await store.categories.name(new Map([[1n, 'Dogs & <b>more</b>']]), BY)
    await store.categories.name(new Map([[2n, 'Cats']]), BY)
  })
  after(() => store.close())

  it('exists without animals, with empty lists', async () => {
    assert.deepEqual(await make(), {
      animals: 0,
      files: ['index.html', 'feed.atom', 'animals.json', '4 other files'],
    })
    assert.match(read('index.html'), /<p>No animals at the moment\.<\/p>/)
    assert.equal(read('animals.json'), '[]\n')
  })

  it('has the longest waiting first, and pages of categories by name', async () => {
    for (const name of ['Rex', 'Bruno']) await add({ name, ...DOG })
    await add({ ...DOG, name: 'Tom', categoryId: 9_223_372_036_854_775_807n })
    await add({ ...DOG, name: 'Mia', categoryId: 2n })
    await add({ ...DOG, name: 'Luna', categoryId: -5n })
    await store.pets.create({ name: 'Gone', categoryId: 1n, status: 'sold' })
    await store.pets.create({ name: 'Nobody', categoryId: 1n })
    await store.records.add({ name: 'Old', ...DOG, cameOn: 20_000 }, BY, 'old')
    await store.records.add({ name: 'Young', ...DOG }, BY, 'young')
    await make()
    const namesIn = (file: string) =>
      [...read(file).matchAll(/class="pets-name"><a [^>]*><bdi>(.*?)</g)].map(([, name]) => name)
    assert.deepEqual(namesIn('index.html'), ['Rex', 'Bruno', 'Tom', 'Mia', 'Luna', 'Old', 'Young'])
    assert.deepEqual(namesIn('category-1.html'), ['Rex', 'Bruno', 'Old', 'Young'])
    const links = [...read('index.html').matchAll(/<li><a href="([^"]+\.html)"/g)].map(([, file]) => file)
    assert.deepEqual(
      links,
      ['index', 'category--5', 'category-9223372036854775807', 'category-2', 'category-1'].map(
        (file) => `${file}.html`,
      ),
    )
    const factsOf = (name: string) => new RegExp(`<bdi>${name}</bdi>.*\\n(.*)`).exec(read('index.html'))?.[1]
    assert.match(factsOf('Old') ?? '', /<span class="pets-waits">waiting since October 2024<\/span>/)
    assert.match(factsOf('Young') ?? '', /<span class="pets-new">new<\/span> .*waiting since November</)
    assert.doesNotMatch(factsOf('Rex') ?? '', /wait|new|Number|Available/)
    for (const name of ['Old', 'Young']) {
      const { id = '0' } = (await store.records.find({ text: name, status: undefined, limit: 1 }))[0] ?? {}
      await store.records.remove([BigInt(id)], BY)
    }
  })

  it('removes the files of 2.1', async () => {
    const names = ['fragment.html', 'status-sold.html', 'animals.csv']
    for (const name of names) writeFileSync(join(folder, name), name === 'animals.csv' ? 'id' : `<!-- ${GENERATOR} -->`)
    await make()
    assert.deepEqual(
      names.filter((name) => existsSync(join(folder, name))),
      [],
    )
    writeFileSync(join(folder, 'animals.csv'), 'mine')
    await make()
    assert.equal(read('animals.csv'), 'mine')
    rmSync(join(folder, 'animals.csv'))
  })

  it('has linked pages of a hundred animals', async () => {
    const other = await openStore(newDatabase(), { serving: false, clock: patientClock })
    const site = temporaryFolder()
    try {
      for (let n = 1; n <= 201; n += 1) await other.pets.create({ name: `Number ${n}`, ...DOG })
      await publish(other, site, START_MS)
      const page = (name: string) => readFileSync(join(site, name), 'utf8')
      const cards = (name: string) => page(name).match(/class="pets-animal"/g)?.length
      assert.deepEqual(['index.html', 'page-2.html', 'page-3.html'].map(cards), [100, 100, 1])
      assert.match(page('index.html'), /Page 1 of 3<\/li>\n<li><a href="page-2.html">Next/)
      assert.match(page('page-2.html'), /<a href="index.html">Previous[\s\S]*<a href="page-3.html">Next/)
    } finally {
      await other.close()
    }
  })

  it('shows only the requested statuses, in words', async () => {
    assert.equal((await make('Our animals', START_MS, ['sold', 'available'])).animals, 6)
    assert.match(read('index.html'), /<bdi>Gone<\/bdi><\/a><\/p>\n<p class="pets-facts"><span [^>]*>Sold<\/span>/)
    await store.words.set(new Map([['sold', 'Adopted']]), BY)
    await make('Our animals', START_MS, ['sold', 'available'])
    assert.match(read('index.html'), /<span [^>]*>Adopted<\/span>/)
    assert.equal((await make()).animals, 5)
    for (const file of ['index.html', 'animals.json', 'feed.atom']) {
      assert.doesNotMatch(read(file), /Gone|Nobody/)
    }
  })

  it('shows any name as text, without markup or reordering', async () => {
    await add({ ...DOG, name: `<script>alert("1")</script> & 'x'` })
    await add({ ...DOG, name: '\u202egnp.exe\u2066 \u0001\u009f\uffff\n\r\n x' })
    await add({ ...DOG, name: ' \u3000 ' })
    const long = await add({ ...DOG, name: '😀'.repeat(5_000) })
    await make('<i>Ours</i> é')
    assert.match(read('embed.js'), /^const title = "\\u003ci>Ours\\u003c\/i> \\u00e9"$[ -~\n]*$/m, 'in any encoding')
    assert.equal(XMLValidator.validate(read('feed.atom')), true)
    for (const file of ['index.html', 'feed.atom']) {
      const text = read(file).replace(/<script (?:src="page.js"|type="application\/ld\+json")>.*\n/g, '')
      assert.match(text, /[>]&#60;script&#62;alert\(&#34;1&#34;\)&#60;\/script&#62; &#38; &#39;x&#39;</)
      assert.match(text, />gnp\.exe \ufffd\ufffd\ufffd x</)
      assert.match(text, new RegExp(`>Animal ${long - 1n}<`))
      assert.match(text, />(?:😀){200}…</u)
      assert.doesNotMatch(text, /<script|<i>|(?!\n)[\p{Cc}\p{Cs}\uffff\u202e\u2066]/u)
    }
  })

  it('lists the animals for programs exactly, with category, day and address', async () => {
    const listed = read('animals.json')
      .split('\n')
      .map((line) => line.replace(/^\[|,$|\]$/g, ''))
      .filter((line) => line !== '')
    for (const [n, { id, json }] of animals.toReversed().entries())
      assert(
        listed[n]?.startsWith(`${json.slice(0, -1)},"category":`) && listed[n].endsWith(`"url":"animal/0/${id}.html"}`),
        json,
      )
    assert.match(read('animals.json'), /"categoryId":9223372036854775807,.*"category":"Category 9223372036854775807"/)
    const { pet } = await store.records.add({ name: 'Dated', ...DOG, cameOn: 20_000 }, BY, 'dated')
    await make()
    assert.match(
      read('animals.json'),
      /"name":"Dated",.*"category":"Dogs & \\u003cb>more\\u003c\/b>","since":"2024-10-04",/,
    )
    await store.records.remove([BigInt(pet?.id ?? 0)], BY)
    await make()
  })

  it('has a feed of the newest hundred animals, each with a stable id and time', async () => {
    const entry = /<entry>\n<id>(urn:uuid:[0-9a-f-]{36})<\/id>\n<updated>(.*)<\/updated>\n<link .*\n<title>(.*)</g
    const entriesOf = (text: string) =>
      new Map(text.matchAll(entry).map(([, id, updated, title]) => [title, { id, updated }]))
    const at = (n: number) => new Date(START_MS + n * 60_000).toISOString().replace('.000', '')
    const before = entriesOf(read('feed.atom'))
    const rex = await add({ ...DOG, name: 'Rex the Second' })
    await make('Our animals', START_MS + 60_000)
    const then = entriesOf(read('feed.atom'))
    assert.equal(then.get('Rex the Second')?.updated, at(1))
    for (const [title, one] of before) assert.deepEqual(then.get(title), { ...one, updated: at(0) })
    assert.match(read('feed.atom'), new RegExp(`<feed .*\\n<id>urn:uuid:.*\\n<updated>${at(1)}`))
    await store.records.change([rex], { name: 'Rex the Third' }, BY)
    await make('Our animals', START_MS + 120_000)
    const renamed = entriesOf(read('feed.atom')).get('Rex the Third')
    assert.deepEqual(renamed, { id: then.get('Rex the Second')?.id, updated: at(2) })
    await store.records.remove([rex], BY)
    await make('Our animals', START_MS + 180_000)
    assert.match(read('feed.atom'), new RegExp(`<feed .*\\n<id>.*\\n<updated>${at(3)}`), 'one is not in it any more')
    const ids = [...read('feed.atom').matchAll(/<id>(.*)<\/id>/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length)
    const many = await Promise.all(
      Array.from({ length: 120 }, (_, n) => store.pets.create({ ...DOG, name: `Many ${n}` })),
    )
    await make('Our animals', START_MS + 180_000)
    assert.equal(entriesOf(read('feed.atom')).size, 100)
    const created = many.map(({ id }) => id)
    await store.records.remove(created, BY)
  })

  it('has a page for each animal, which says so after the animal has left', async () => {
    const id = await add({ ...DOG, name: 'Mila' })
    await make()
    const path = `animal/0/${id}.html`
    assert.match(read('index.html'), new RegExp(`<a href="${path}"><bdi>Mila</bdi></a>`))
    const page = read(path)
    const facts = ['<bdi>Mila</bdi></h1>', '<bdi>Dogs &#38;', `<bdi>${id}</bdi>`]
    for (const fact of facts) assert(page.includes(fact), fact)
    assert.doesNotMatch(page, /Waiting since|Available/)
    await store.records.change([id], { status: 'sold' }, BY)
    await make()
    assert.match(read(path), new RegExp(`<h1><bdi>Number ${id} is not on this page at the moment.</bdi></h1>`))
    assert.match(read(path), /<meta name="robots" content="noindex">[\s\S]*href="..\/..\/index.html"/)
    assert.doesNotMatch(read(path), /Mila|Sold/)
    await store.records.change([id], { status: 'available' }, BY)
    await make()
    assert.match(read(path), /Waiting since<\/dt> <dd><bdi>23 November 2026/, 'it came back')
    animals.shift()
    await store.records.remove([id], BY)
    await make()
  })

  it('removes the pages of animals if the settings turn them off, and leaves other files', async () => {
    const there = () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /^animal\//.test(name))
    await make()
    const pages = there()
    writeFileSync(join(folder, 'animal/0/1000.html'), 'mine')
    await make('Our pets')
    await publishWith({ 'animal-pages': 'no' }, folder)
    assert.deepEqual(there().sort(), ['animal/0', 'animal/0/1000.html'])
    assert.doesNotMatch(read('index.html') + read('feed.atom') + read('animals.json'), /animal\/0/)
    rmSync(join(folder, 'animal/0/1000.html'))
    await make()
    assert.deepEqual(there().sort(), pages.filter((name) => existsSync(join(folder, name))).sort())
  })

  it('has the day on which an animal came where that is known, and not that of an import', async () => {
    const csv = (line: string) =>
      pets(['import', '-', '--yes', '--database', url], { input: `name,category,status,arrived\n${line}\n` })
    for (const line of ['Listed,Cats,available,2025-03-09', 'Filed,Cats,available,'])
      assert.equal((await csv(line)).code, 0, line)
    await store.pets.create({ name: 'By key', ...DOG }, 'key_a')
    await make('Our animals', START_MS, ['available'])
    const pageOf = (name: string) => {
      const href = new RegExp(`href="(animal/[^"]+)"><bdi>${name}<`).exec(read('index.html'))?.[1] ?? ''
      return /<dt>Waiting since<\/dt> <dd><bdi>(.*)<\/bdi>/.exec(read(href))?.[1]
    }
    const today = (timeZone?: string) =>
      new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(START_MS)
    assert.deepEqual(['Listed', 'Filed', 'By key'].map(pageOf), ['9 March 2025', undefined, today()])
    // A day apart.
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', '']) {
      await store.words.setShelter({ zone }, BY)
      await make('Our animals', START_MS, ['available'])
      assert.deepEqual(['Listed', 'By key'].map(pageOf), ['9 March 2025', today(zone || undefined)])
    }
  })

  it('uses the words, numbers and dates of its language', async () => {
    const site = temporaryFolder()
    const settings = { statuses: 'available,sold' }
    for (const [language, { tag, ourAnimals, allAnimals, available, waits }] of Object.entries(LANGUAGES)) {
      await publishWith({ ...settings, language }, site)
      const text = readFileSync(join(site, 'index.html'), 'utf8')
      assert(text.includes(`<html lang="${tag}">`) && text.includes(`<bdi>${ourAnimals}</bdi></h1>`), tag)
      const rest = text.slice(text.indexOf('<body'))
      assert(rest.includes(allAnimals) && rest.includes(`>${available}<`), tag)
      assert(rest.includes(waits.replace('{month}', '')), tag)
      if (language !== 'en')
        assert.doesNotMatch(
          rest,
          />[^<]*(?:All animals|Available|Adopted|Next|Which|waiting|new\b|\{\w+\}(?! ))[^<]*</,
          tag,
        )
    }
    await publishWith({ ...settings, language: 'fr', 'sold-fr': 'Parti', 'sold-de': 'Weg' }, site)
    const text = readFileSync(join(site, 'index.html'), 'utf8')
    assert.match(text, />Parti</)
    assert.doesNotMatch(text, /Adopt|Weg/)
  })

  it('offers to call, to write, and to read how to adopt', async () => {
    const acts = async (values: Readonly<Record<string, string>>) => {
      await store.words.setShelter(values, BY)
      await make()
      const footer = read('index.html').split('<footer>')[1] ?? ''
      return [...footer.matchAll(/class="pets-(?:act|address)[^>]*?(?: href="([^"]*)")?>(.*?)<\/(?:a|p)>/g)].map(
        ([, href, words = '']) => [href, words.replace(/<\/?bdi>/g, '')],
      )
    }
    const adopt = 'https://example.org/adopt?a=1&b=2'
    assert.deepEqual(await acts({ telephone: '+49 (0)30 12-34', email: 'a@b.example', adopt, address: 'Pier 1' }), [
      [undefined, 'Pier 1'],
      ['https://example.org/adopt?a=1&#38;b=2', 'How to adopt'],
      ['tel:+49301234', 'Call +49 (0)30 12-34'],
      ['mailto:a@b.example', 'Write a@b.example'],
    ])
    assert.deepEqual(await acts({ telephone: '12 34 or 56', email: '', adopt: '', address: '' }), [
      [undefined, '12 34 or 56'],
    ])
    await store.words.setShelter({ telephone: '' }, BY)
  })

  it('ends the page of an animal with three others that wait, of its category first', async () => {
    const othersOf = (id: bigint) => {
      const [, list = ''] = read(`animal/0/${id}.html`).split('Also waiting for a home')
      return [...list.matchAll(/class="pets-name"><a [^>]*><bdi>(.*?)</g)].map(([, name]) => name)
    }
    const ids = [
      await add({ ...DOG, name: 'Rare 1', categoryId: 77n }),
      await add({ ...DOG, name: 'Rare 2', categoryId: 77n }),
    ]
    await make()
    assert.deepEqual(
      ids.map((id) => othersOf(id)[0]),
      ['Rare 2', 'Rare 1'],
    )
    for (const id of ids) assert.equal(othersOf(id).length, 3)
  })

  it('shows pictures by number or reference if the settings say where', async () => {
    const site = temporaryFolder()
    const withPhotos = async (photos: string) => {
      await publishWith({ photos }, site)
      assert.doesNotMatch(readFileSync(join(site, 'index.html'), 'utf8'), /og:image/)
      return readFileSync(join(site, 'index.html'), 'utf8').match(/<img [^>]*src="[^"]*"/g) ?? []
    }
    await make()
    assert.doesNotMatch(read('index.html'), /<img/)
    const first = /id="pets-animal-(\d+)"/.exec(read('index.html'))?.[1]
    const photos = await withPhotos('https://p.example/{number}.jpg')
    assert(photos.some((one) => one.endsWith(`src="https://p.example/${first}.jpg"`)))
    assert.deepEqual(await withPhotos('https://p.example/{reference}.jpg'), [])
  })
})
