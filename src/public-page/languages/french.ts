/** The public page in French. */
import type { Language } from './english.ts'

// biome-ignore format: words in rows
export const french: Language = {
  tag: 'fr',
  ourAnimals: 'Nos animaux', animals: { one: '{n} animal', other: '{n} animaux' }, allAnimals: 'Tous les animaux',
  none: 'Aucun animal pour le moment.', whichAnimals: 'Quels animaux', pages: 'Pages', found: 'Résultats',
  page: 'Page {n} sur {last}', previous: 'Précédente', next: 'Suivante',
  search: 'Nom, espèce ou numéro', nothingFound: 'Aucun résultat.',
  animal: 'Animal {id}', category: 'Catégorie {id}', kind: 'Espèce',
  status: 'Statut', available: 'À adopter', pending: 'Réservé', sold: 'Adopté',
  number: 'Numéro', waits: 'attend depuis {month}', waitsSince: 'Attend depuis le', isNew: 'nouveau',
  othersWait: 'Ils attendent aussi un foyer',
  interested: 'Cet animal vous intéresse ?', ask: 'Renseignez-vous sur {name}, numéro {id}.',
  howToAdopt: 'Comment adopter', call: 'Appeler', write: 'Écrire',
  gone: 'Le numéro {id} n’est pas sur cette page en ce moment.',
  goneHint: 'L’animal a peut-être trouvé un foyer. Regardez les autres, ou contactez-nous.',
  feed: 'Fil d’actualités',
}
