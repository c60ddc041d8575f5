/** The words of the public page in its languages. `{name}` stands for a value; `tag` is a BCP 47 tag. */
import type { PageLanguage } from '../domain/settings.ts'

/** Texts for numbers, by the plural rules of a language. */
type Plurals = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
export type Language = Readonly<Omit<typeof english, 'animals'>> & { readonly animals: Plurals }

// biome-ignore format: words in rows
const english = {
  tag: 'en-GB', ourAnimals: 'Our animals', animals: { one: '{n} animal', other: '{n} animals' },
  allAnimals: 'All animals', none: 'No animals at the moment.', whichAnimals: 'Which animals', pages: 'Pages',
  page: 'Page {n} of {last}', previous: 'Previous', next: 'Next', search: 'Name, kind or number',
  nothingFound: 'Nothing found.', animal: 'Animal {id}', category: 'Category {id}', kind: 'Kind', status: 'Status',
  available: 'Available', pending: 'Pending', sold: 'Sold', number: 'Number', waits: 'waiting since {month}',
  waitsSince: 'Waiting since', isNew: 'new', othersWait: 'Also waiting for a home', interested: 'Are you interested?',
  ask: 'Ask us about {name}, number {id}.', howToAdopt: 'How to adopt', call: 'Call', write: 'Write',
  gone: 'Number {id} is not on this page at the moment.',
  goneHint: 'It may have found a home. Look at the others, or ask us.', feed: 'News feed',
}

// biome-ignore format: words in rows
export const LANGUAGES: Readonly<Record<PageLanguage, Language>> = {
  en: english,
  de: {
    tag: 'de', ourAnimals: 'Unsere Tiere', animals: { one: '{n} Tier', other: '{n} Tiere' }, allAnimals: 'Alle Tiere',
    none: 'Zurzeit sind keine Tiere da.', whichAnimals: 'Welche Tiere', pages: 'Seiten', page: 'Seite {n} von {last}',
    previous: 'Zurück', next: 'Weiter', search: 'Name, Tierart oder Nummer', nothingFound: 'Nichts gefunden.',
    animal: 'Tier {id}', category: 'Kategorie {id}', kind: 'Tierart', status: 'Status', available: 'Sucht ein Zuhause',
    pending: 'Reserviert', sold: 'Vermittelt', number: 'Nummer', waits: 'wartet seit {month}',
    waitsSince: 'Wartet seit', isNew: 'neu', othersWait: 'Auch sie warten auf ein Zuhause',
    interested: 'Haben Sie Interesse?', ask: 'Fragen Sie uns nach {name}, Nummer {id}.',
    howToAdopt: 'So läuft die Vermittlung', call: 'Anrufen', write: 'Schreiben',
    gone: 'Nummer {id} ist zurzeit nicht auf dieser Seite.',
    goneHint: 'Vielleicht hat das Tier ein Zuhause gefunden. Sehen Sie sich die anderen an, oder fragen Sie uns.',
    feed: 'Neuigkeiten als Feed',
  },
  fr: {
    tag: 'fr', ourAnimals: 'Nos animaux', animals: { one: '{n} animal', other: '{n} animaux' },
    allAnimals: 'Tous les animaux', none: 'Aucun animal pour le moment.', whichAnimals: 'Quels animaux', pages: 'Pages',
    page: 'Page {n} sur {last}', previous: 'Précédente', next: 'Suivante', search: 'Nom, espèce ou numéro',
    nothingFound: 'Aucun résultat.', animal: 'Animal {id}', category: 'Catégorie {id}', kind: 'Espèce',
    status: 'Statut', available: 'À adopter', pending: 'Réservé', sold: 'Adopté', number: 'Numéro',
    waits: 'attend depuis {month}', waitsSince: 'Attend depuis le', isNew: 'nouveau',
    othersWait: 'Ils attendent aussi un foyer', interested: 'Cet animal vous intéresse ?',
    ask: 'Renseignez-vous sur {name}, numéro {id}.', howToAdopt: 'Comment adopter', call: 'Appeler', write: 'Écrire',
    gone: 'Le numéro {id} n’est pas sur cette page en ce moment.',
    goneHint: 'L’animal a peut-être trouvé un foyer. Regardez les autres, ou contactez-nous.', feed: 'Fil d’actualités',
  },
  es: {
    tag: 'es', ourAnimals: 'Nuestros animales', animals: { one: '{n} animal', other: '{n} animales' },
    allAnimals: 'Todos los animales', none: 'Por el momento no hay animales.', whichAnimals: 'Qué animales',
    pages: 'Páginas', page: 'Página {n} de {last}', previous: 'Anterior', next: 'Siguiente',
    search: 'Nombre, especie o número', nothingFound: 'No se ha encontrado nada.', animal: 'Animal {id}',
    category: 'Categoría {id}', kind: 'Especie', status: 'Situación', available: 'En adopción', pending: 'Reservado',
    sold: 'Adoptado', number: 'Número', waits: 'espera desde {month}', waitsSince: 'Espera desde el', isNew: 'nuevo',
    othersWait: 'También esperan un hogar', interested: '¿Te interesa este animal?',
    ask: 'Pregúntanos por {name}, número {id}.', howToAdopt: 'Cómo adoptar', call: 'Llamar', write: 'Escribir',
    gone: 'El número {id} no está en esta página en este momento.',
    goneHint: 'Quizá ya ha encontrado un hogar. Mira los demás o pregúntanos.', feed: 'Canal de novedades',
  },
  it: {
    tag: 'it', ourAnimals: 'I nostri animali', animals: { one: '{n} animale', other: '{n} animali' },
    allAnimals: 'Tutti gli animali', none: 'Al momento non ci sono animali.', whichAnimals: 'Quali animali',
    pages: 'Pagine', page: 'Pagina {n} di {last}', previous: 'Precedente', next: 'Successiva',
    search: 'Nome, specie o numero', nothingFound: 'Nessun risultato.', animal: 'Animale {id}',
    category: 'Categoria {id}', kind: 'Specie', status: 'Stato', available: 'Cerca casa', pending: 'Prenotato',
    sold: 'Adottato', number: 'Numero', waits: 'aspetta da {month}', waitsSince: 'Aspetta dal', isNew: 'nuovo',
    othersWait: 'Anche loro aspettano una casa', interested: 'Ti interessa?', ask: 'Chiedici di {name}, numero {id}.',
    howToAdopt: 'Come adottare', call: 'Chiama', write: 'Scrivi',
    gone: 'Il numero {id} al momento non è su questa pagina.',
    goneHint: 'Forse ha già trovato casa. Guarda gli altri, o chiedi a noi.', feed: 'Feed delle novità',
  },
  pt: {
    tag: 'pt-PT', ourAnimals: 'Os nossos animais', animals: { one: '{n} animal', other: '{n} animais' },
    allAnimals: 'Todos os animais', none: 'De momento não há animais.', whichAnimals: 'Que animais', pages: 'Páginas',
    page: 'Página {n} de {last}', previous: 'Anterior', next: 'Seguinte', search: 'Nome, espécie ou número',
    nothingFound: 'Nada encontrado.', animal: 'Animal {id}', category: 'Categoria {id}', kind: 'Espécie',
    status: 'Situação', available: 'Para adoção', pending: 'Reservado', sold: 'Adotado', number: 'Número',
    waits: 'espera desde {month}', waitsSince: 'Espera desde', isNew: 'novo', othersWait: 'Também esperam por um lar',
    interested: 'Tem interesse?', ask: 'Pergunte-nos por {name}, número {id}.', howToAdopt: 'Como adotar',
    call: 'Ligar', write: 'Escrever', gone: 'O número {id} não está nesta página de momento.',
    goneHint: 'Talvez já tenha encontrado um lar. Veja os outros, ou pergunte-nos.', feed: 'Feed de novidades',
  },
  nl: {
    tag: 'nl', ourAnimals: 'Onze dieren', animals: { one: '{n} dier', other: '{n} dieren' }, allAnimals: 'Alle dieren',
    none: 'Er zijn op dit moment geen dieren.', whichAnimals: 'Welke dieren', pages: 'Pagina’s',
    page: 'Pagina {n} van {last}', previous: 'Vorige', next: 'Volgende', search: 'Naam, diersoort of nummer',
    nothingFound: 'Niets gevonden.', animal: 'Dier {id}', category: 'Categorie {id}', kind: 'Diersoort',
    status: 'Status', available: 'Zoekt een thuis', pending: 'Gereserveerd', sold: 'Geplaatst', number: 'Nummer',
    waits: 'wacht sinds {month}', waitsSince: 'Wacht sinds', isNew: 'nieuw', othersWait: 'Zij wachten ook op een thuis',
    interested: 'Interesse?', ask: 'Vraag ons naar {name}, nummer {id}.', howToAdopt: 'Zo werkt adopteren',
    call: 'Bellen', write: 'Schrijven', gone: 'Nummer {id} staat op dit moment niet op deze pagina.',
    goneHint: 'Misschien heeft het dier een thuis gevonden. Bekijk de andere, of vraag het ons.', feed: 'Nieuwsfeed',
  },
  pl: {
    tag: 'pl', ourAnimals: 'Nasze zwierzęta',
    animals: { one: '{n} zwierzę', few: '{n} zwierzęta', other: '{n} zwierząt' }, allAnimals: 'Wszystkie zwierzęta',
    none: 'Obecnie nie ma zwierząt.', whichAnimals: 'Które zwierzęta', pages: 'Strony', page: 'Strona {n} z {last}',
    previous: 'Poprzednia', next: 'Następna', search: 'Imię, gatunek lub numer', nothingFound: 'Nic nie znaleziono.',
    animal: 'Zwierzę {id}', category: 'Kategoria {id}', kind: 'Gatunek', status: 'Status', available: 'Do adopcji',
    pending: 'Zarezerwowane', sold: 'Adoptowane', number: 'Numer', waits: 'czeka od {month}', waitsSince: 'Czeka od',
    isNew: 'nowe', othersWait: 'One też czekają na dom', interested: 'Chcesz adoptować?',
    ask: 'Zapytaj nas o {name}, numer {id}.', howToAdopt: 'Jak adoptować', call: 'Zadzwoń', write: 'Napisz',
    gone: 'Numeru {id} nie ma obecnie na tej stronie.',
    goneHint: 'Być może zwierzę znalazło dom. Zobacz inne albo zapytaj nas.', feed: 'Kanał nowości',
  },
}
