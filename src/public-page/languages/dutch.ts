/** The public page in Dutch. */
import type { Language } from './english.ts'

// biome-ignore format: words in rows
export const dutch: Language = {
  tag: 'nl',
  ourAnimals: 'Onze dieren', animals: { one: '{n} dier', other: '{n} dieren' }, allAnimals: 'Alle dieren',
  none: 'Er zijn op dit moment geen dieren.', whichAnimals: 'Welke dieren', pages: 'Pagina’s', found: 'Gevonden',
  page: 'Pagina {n} van {last}', previous: 'Vorige', next: 'Volgende',
  search: 'Naam, diersoort of nummer', nothingFound: 'Niets gevonden.',
  animal: 'Dier {id}', category: 'Categorie {id}', kind: 'Diersoort',
  status: 'Status', available: 'Zoekt een thuis', pending: 'Gereserveerd', sold: 'Geplaatst',
  number: 'Nummer', waits: 'wacht sinds {month}', waitsSince: 'Wacht sinds', isNew: 'nieuw',
  othersWait: 'Zij wachten ook op een thuis',
  interested: 'Interesse?', ask: 'Vraag ons naar {name}, nummer {id}.',
  howToAdopt: 'Zo werkt adopteren', call: 'Bellen', write: 'Schrijven',
  gone: 'Nummer {id} staat op dit moment niet op deze pagina.',
  goneHint: 'Misschien heeft het dier een thuis gevonden. Bekijk de andere, of vraag het ons.',
  feed: 'Nieuwsfeed',
}
