/** The public page in Spanish. */
import type { Language } from './english.ts'

// biome-ignore format: words in rows
export const spanish: Language = {
  tag: 'es',
  ourAnimals: 'Nuestros animales', animals: { one: '{n} animal', other: '{n} animales' },
  allAnimals: 'Todos los animales', none: 'Por el momento no hay animales.',
  whichAnimals: 'Qué animales', pages: 'Páginas', found: 'Resultados',
  page: 'Página {n} de {last}', previous: 'Anterior', next: 'Siguiente',
  search: 'Nombre, especie o número', nothingFound: 'No se ha encontrado nada.',
  animal: 'Animal {id}', category: 'Categoría {id}', kind: 'Especie',
  status: 'Situación', available: 'En adopción', pending: 'Reservado', sold: 'Adoptado',
  number: 'Número', waits: 'espera desde {month}', waitsSince: 'Espera desde el', isNew: 'nuevo',
  othersWait: 'También esperan un hogar',
  interested: '¿Te interesa este animal?', ask: 'Pregúntanos por {name}, número {id}.',
  howToAdopt: 'Cómo adoptar', call: 'Llamar', write: 'Escribir',
  gone: 'El número {id} no está en esta página en este momento.',
  goneHint: 'Quizá ya ha encontrado un hogar. Mira los demás o pregúntanos.',
  feed: 'Canal de novedades',
}
