/**
 * The script of the page: the search in `animals.json`, and the redirect of a link to an animal that is on another page
 * now. Everything else works without script.
 */
import { PetStatus } from '../contract/schemas.ts'
import type { StatusWords } from '../store/words.ts'
import { GENERATOR, PER_PAGE } from './page.ts'
import { statusWord } from './words.ts'

export function searchScript(words: StatusWords): string {
  const shown = Object.fromEntries(PetStatus.enum.map((status) => [status, statusWord(status, words)]))
  return `/* ${GENERATOR} */
const words = ${JSON.stringify(shown)}
${SEARCH}`
}

const SEARCH = `const form = document.getElementById('pets-search')
const list = document.getElementById('pets-found')
let animals
// First, because to decompose many marks on one letter takes time that grows with their square.
const MARKS = /\\p{M}/gu
const fold = (text) => text.replace(MARKS, '').normalize('NFD').replace(MARKS, '').toLowerCase()
// Of a number beyond 2^53 every digit.
const exact = (name, value, { source } = {}) => (name === 'id' ? (source ?? String(value)) : value)
const load = async () => (animals ??= JSON.parse(await (await fetch('animals.json')).text(), exact))
const placeOf = (at) => \`\${at < ${PER_PAGE} ? 'index' : \`page-\${Math.floor(at / ${PER_PAGE}) + 1}\`}.html#pets-animal-\${animals[at].id}\`
form.hidden = false
form.addEventListener('submit', (event) => event.preventDefault())
form.addEventListener('input', async () => {
  const text = form.querySelector('input').value.trim()
  await load()
  const fits = ({ id, name }) => id === text || fold(name).includes(fold(text))
  const found = text === '' ? [] : animals.flatMap((animal, at) => (fits(animal) ? [at] : [])).slice(0, 50)
  list.hidden = text === ''
  list.replaceChildren(
    ...found.map((at) => {
      const link = document.createElement('a')
      link.href = placeOf(at)
      const { name, id, status } = animals[at]
      link.textContent = \`\${name} (\${id})\${status === undefined ? '' : \`, \${words[status]}\`}\`
      const item = document.createElement('li')
      item.append(link)
      return item
    }),
  )
  if (text !== '' && found.length === 0) list.append('Nothing is found.')
})
const wanted = /^#pets-animal-(-?\\d+)$/.exec(location.hash)?.[1]
const goOn = async () => {
  await load()
  const at = animals.findIndex(({ id }) => id === wanted)
  if (at !== -1) location.replace(placeOf(at))
}
if (wanted !== undefined && document.getElementById(\`pets-animal-\${wanted}\`) === null) goOn()
`
