/** The public page in Italian. */
import type { Language } from './english.ts'

// biome-ignore format: words in rows
export const italian: Language = {
  tag: 'it',
  ourAnimals: 'I nostri animali', animals: { one: '{n} animale', other: '{n} animali' },
  allAnimals: 'Tutti gli animali', none: 'Al momento non ci sono animali.',
  whichAnimals: 'Quali animali', pages: 'Pagine', found: 'Risultati',
  page: 'Pagina {n} di {last}', previous: 'Precedente', next: 'Successiva',
  search: 'Nome, specie o numero', nothingFound: 'Nessun risultato.',
  animal: 'Animale {id}', category: 'Categoria {id}', kind: 'Specie',
  status: 'Stato', available: 'Cerca casa', pending: 'Prenotato', sold: 'Adottato',
  number: 'Numero', waits: 'aspetta da {month}', waitsSince: 'Aspetta dal', isNew: 'nuovo',
  othersWait: 'Anche loro aspettano una casa',
  interested: 'Ti interessa?', ask: 'Chiedici di {name}, numero {id}.',
  howToAdopt: 'Come adottare', call: 'Chiama', write: 'Scrivi',
  gone: 'Il numero {id} al momento non è su questa pagina.',
  goneHint: 'Forse ha già trovato casa. Guarda gli altri, o chiedi a noi.',
  feed: 'Feed delle novità',
}
