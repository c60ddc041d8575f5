/** The public page in German. */
import type { Language } from './english.ts'

// biome-ignore format: words in rows
export const german: Language = {
  tag: 'de',
  ourAnimals: 'Unsere Tiere', animals: { one: '{n} Tier', other: '{n} Tiere' }, allAnimals: 'Alle Tiere',
  none: 'Zurzeit sind keine Tiere da.', whichAnimals: 'Welche Tiere', pages: 'Seiten', found: 'Gefunden',
  page: 'Seite {n} von {last}', previous: 'Zurück', next: 'Weiter',
  search: 'Name, Tierart oder Nummer', nothingFound: 'Nichts gefunden.',
  animal: 'Tier {id}', category: 'Kategorie {id}', kind: 'Tierart',
  status: 'Status', available: 'Sucht ein Zuhause', pending: 'Reserviert', sold: 'Vermittelt',
  number: 'Nummer', waits: 'wartet seit {month}', waitsSince: 'Wartet seit', isNew: 'neu',
  othersWait: 'Auch sie warten auf ein Zuhause',
  interested: 'Haben Sie Interesse?', ask: 'Fragen Sie uns nach {name}, Nummer {id}.',
  howToAdopt: 'So läuft die Vermittlung', call: 'Anrufen', write: 'Schreiben',
  gone: 'Nummer {id} ist zurzeit nicht auf dieser Seite.',
  goneHint: 'Vielleicht hat das Tier ein Zuhause gefunden. Sehen Sie sich die anderen an, oder fragen Sie uns.',
  feed: 'Neuigkeiten als Feed',
}
