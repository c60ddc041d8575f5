/** The public page in Polish. */
import type { Language } from './english.ts'

// biome-ignore format: words in rows
export const polish: Language = {
  tag: 'pl',
  ourAnimals: 'Nasze zwierzęta', animals: { one: '{n} zwierzę', few: '{n} zwierzęta', other: '{n} zwierząt' },
  allAnimals: 'Wszystkie zwierzęta', none: 'Obecnie nie ma zwierząt.',
  whichAnimals: 'Które zwierzęta', pages: 'Strony', found: 'Wyniki',
  page: 'Strona {n} z {last}', previous: 'Poprzednia', next: 'Następna',
  search: 'Imię, gatunek lub numer', nothingFound: 'Nic nie znaleziono.',
  animal: 'Zwierzę {id}', category: 'Kategoria {id}', kind: 'Gatunek',
  status: 'Status', available: 'Do adopcji', pending: 'Zarezerwowane', sold: 'Adoptowane',
  number: 'Numer', waits: 'czeka od {month}', waitsSince: 'Czeka od', isNew: 'nowe',
  othersWait: 'One też czekają na dom',
  interested: 'Chcesz adoptować?', ask: 'Zapytaj nas o {name}, numer {id}.',
  howToAdopt: 'Jak adoptować', call: 'Zadzwoń', write: 'Napisz',
  gone: 'Numeru {id} nie ma obecnie na tej stronie.',
  goneHint: 'Być może zwierzę znalazło dom. Zobacz inne albo zapytaj nas.',
  feed: 'Kanał nowości',
}
