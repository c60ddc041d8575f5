/** What feed readers and search engines read of the public page, by libraries of their kind. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
// @ts-expect-error It declares no types.
import WebAutoExtractor from '@marbec/web-auto-extractor'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { parseAtomFeed } from 'feedsmith'
import { sitemapOf } from '../../src/public-page/lists.ts'
import { publish } from '../../src/public-page/publisher.ts'
import { openStore } from '../../src/store/open.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { authorAt } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'

const URL_OF_PAGE = 'https://www.example.org/animals/'
const BY = authorAt(Date.UTC(2026, 10, 23))
/** Newest first. */
const NAMES = ['Łódź & "Co"', 'Zoë </script><b>', 'Rex']
const addressOf = (n: number) => `${URL_OF_PAGE}animal/0/${NAMES.length - n}.html`

describe('programs read of the public page', () => {
  const folder = temporaryFolder()
  const database = `sqlite:${join(temporaryFolder(), 'pets.db')}`
  const read = (name: string, site = folder) => readFileSync(join(site, name), 'utf8')
  const publishInto = async (site: string, url = database) => {
    const { code, stderr } = await pets(['publish', site, '--database', url])
    assert.equal(code, 0, stderr)
    return parseAtomFeed(read('feed.atom', site))
  }

  before(async () => {
    const store = await openStore(database, { serving: false, clock: patientClock })
    await store.words.setShelter({ name: 'Harbour Street', telephone: '030 12 34', page: URL_OF_PAGE }, BY)
    await store.categories.name(new Map([[1n, 'Dogs']]), BY)
    for (const name of NAMES.toReversed()) await store.pets.create({ name, categoryId: 1n, status: 'available' })
    await publish(store, folder, 0)
    await store.close()
  })

  it('its title, description, address and preview, and a list of animals, as schema.org has it', () => {
    const parsed: Extracted = new WebAutoExtractor({}).parse(read('index.html'))
    const title = 'Our animals – Harbour Street'
    const description = 'Our animals: 3 animals.'
    const preview = { 'og:title': title, 'og:description': description, 'og:url': URL_OF_PAGE, 'og:locale': 'en_GB' }
    const metas = { title, description, ...preview, 'og:site_name': 'Harbour Street' }
    for (const [name, content] of Object.entries(metas)) assert.equal(parsed.metatags[name]?.[0], content, name)
    assert.deepEqual(parsed.errors, [])
    const { ItemList: [list] = [], AnimalShelter: [shelter] = [] } = parsed.jsonld
    assert.equal(shelter?.name, 'Harbour Street')
    assert.deepEqual(
      list?.itemListElement?.map(({ position, name, url }) => [position, name, url]),
      NAMES.map((name, n) => [n + 1, name, addressOf(n)])
        .toReversed()
        .map(([, ...rest], n) => [n + 1, ...rest]),
    )
    assert.match(read('animal/0/1.html'), new RegExp(`<link rel="canonical" href="${URL_OF_PAGE}animal/0/1.html">`))
    const one: Extracted = new WebAutoExtractor({}).parse(read('animal/0/1.html'))
    assert.deepEqual(one.errors, [])
    assert.equal(one.metatags['og:title']?.[0], 'Rex, Dogs – Our animals – Harbour Street')
    assert.deepEqual(Object.keys(one.jsonld).sort(), ['AnimalShelter', 'WebPage'])
  })

  it('a sitemap of pages that are there, and of no more than search engines read', () => {
    const xml = read('sitemap.xml')
    assert.equal(XMLValidator.validate(xml), true)
    const addresses: string[] = new XMLParser().parse(xml).urlset.url.map(({ loc }: { loc: string }) => loc)
    assert.equal(addresses.length, 4)
    assert.equal(xml.match(/<lastmod>\d{4}-\d{2}-\d{2}<\/lastmod>/g)?.length, 4)
    for (const address of addresses) {
      const name = address.replace(URL_OF_PAGE, '') || 'index.html'
      assert(existsSync(join(folder, name)), address)
    }
    const animal = { name: '', category: '', status: undefined, sinceMs: undefined, place: '', photo: undefined }
    const animals = Array.from({ length: 60_000 }, (_, n) => {
      return { ...animal, pet: { id: `${n}`, name: '', categoryId: '1', status: undefined } }
    })
    const large: string[] =
      sitemapOf(['index.html'], { animals, hasPages: true, url: URL_OF_PAGE }, () => 0).match(/<loc>/g) ?? []
    assert.equal(large.length, 50_000)
  })

  it('a feed whose links are whole, and that names itself', async () => {
    const feed = await publishInto(folder)
    assert.equal(feed.title?.value, 'Our animals – Harbour Street')
    assert.equal(feed.links?.find(({ rel }) => rel === 'self')?.href, `${URL_OF_PAGE}feed.atom`)
    assert.deepEqual(
      feed.entries?.map(({ title, links }) => [title?.value, links?.[0]?.href]),
      NAMES.map((name, n) => [name, addressOf(n)]),
    )
  })

  const idsOf = ({ id, entries }: Awaited<ReturnType<typeof publishInto>>) => [
    id,
    ...(entries ?? []).map((one) => one.id),
  ]

  it('a feed with the same ids after a restore, so that a reader shows nothing twice', async () => {
    const shown = idsOf(await publishInto(folder))
    const backup = join(temporaryFolder(), 'backup.db')
    const restored = `sqlite:${join(temporaryFolder(), 'pets.db')}`
    for (const args of [
      ['backup', backup, '--database', database],
      ['restore', backup, '--database', restored],
    ]) {
      const { code, stderr } = await pets(args)
      assert.equal(code, 0, stderr)
    }
    assert.deepEqual(idsOf(await publishInto(temporaryFolder(), restored)), shown)
    assert.equal(new Set(shown).size, 4)
  })

  describe('on another engine', postgresNeeded, () => {
    let server: Awaited<ReturnType<typeof sharedPostgres>>
    before(async () => {
      server = await sharedPostgres()
    })
    after(() => server.stop())

    it('a feed with the same ids after a copy to PostgreSQL and back', async () => {
      const shown = idsOf(await publishInto(folder))
      const [there, back] = [await server.createDatabase(), `sqlite:${join(temporaryFolder(), 'pets.db')}`]
      for (const [from, to] of [
        [database, there],
        [there, back],
      ] as const) {
        const { code, stderr } = await pets(['copy', '--from', from, '--to', to])
        assert.equal(code, 0, stderr)
        assert.deepEqual(idsOf(await publishInto(temporaryFolder(), to)), shown)
      }
    })
  })
})

interface Extracted {
  readonly errors: readonly unknown[]
  readonly metatags: Readonly<Record<string, readonly string[]>>
  readonly jsonld: Readonly<Record<string, readonly DataNode[]>>
}

interface DataNode {
  readonly name?: string
  readonly itemListElement?: readonly { position: number; name: string; url: string }[]
}
