/** The public page in Portuguese. */
import type { Language } from './english.ts'

// biome-ignore format: words in rows
export const portuguese: Language = {
  tag: 'pt-PT',
  ourAnimals: 'Os nossos animais', animals: { one: '{n} animal', other: '{n} animais' },
  allAnimals: 'Todos os animais', none: 'De momento não há animais.',
  whichAnimals: 'Que animais', pages: 'Páginas', found: 'Resultados',
  page: 'Página {n} de {last}', previous: 'Anterior', next: 'Seguinte',
  search: 'Nome, espécie ou número', nothingFound: 'Nada encontrado.',
  animal: 'Animal {id}', category: 'Categoria {id}', kind: 'Espécie',
  status: 'Situação', available: 'Para adoção', pending: 'Reservado', sold: 'Adotado',
  number: 'Número', waits: 'espera desde {month}', waitsSince: 'Espera desde', isNew: 'novo',
  othersWait: 'Também esperam por um lar',
  interested: 'Tem interesse?', ask: 'Pergunte-nos por {name}, número {id}.',
  howToAdopt: 'Como adotar', call: 'Ligar', write: 'Escrever',
  gone: 'O número {id} não está nesta página de momento.',
  goneHint: 'Talvez já tenha encontrado um lar. Veja os outros, ou pergunte-nos.',
  feed: 'Feed de novidades',
}
