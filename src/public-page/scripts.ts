/** `page.js` searches and runs in each page. `embed.js` shows the page in a frame on another website. */
import { GENERATOR } from './folder.ts'
import { PER_PAGE } from './lists.ts'
import { toScript } from './markup.ts'
import type { Publication } from './publication.ts'
import { COLOURS } from './style.ts'

export function pageScript({ hasPages }: Publication): string {
  return `/* ${GENERATOR} */
const colours = ${JSON.stringify(COLOURS)}
const hasPages = ${hasPages}
${FRAMED}
addEventListener('DOMContentLoaded', () => {
if (document.getElementById('pets-search') === null) return
${SEARCH}})
`
}

export function embedScript({ heading, url }: Publication): string {
  // ASCII, so that it does not depend on the website's encoding.
  const toAscii = (text: string) =>
    toScript(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `/* ${GENERATOR} */
(() => {
const title = ${toAscii(heading)}
const known = ${toAscii(url)}
const colours = ${JSON.stringify(COLOURS)}
${EMBED}})()
`
}

/** Runs before anything is shown: in a frame, the page reports its height and takes the colours of the website. */
const FRAMED = `const root = document.documentElement
addEventListener('error', ({ target }) => {
  if (target instanceof HTMLImageElement) target.remove()
}, true)
if (parent !== window) {
  root.classList.add('pets-framed', 'pets-light')
  const tell = () => parent.postMessage({ pets: Math.ceil(document.body.getBoundingClientRect().height) }, '*')
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data?.pets !== 'object') return
    root.classList.toggle('pets-light', data.isLight === true)
    for (const name of colours) if (CSS.supports('color', data.pets[name])) root.style.setProperty(name, data.pets[name])
  })
  addEventListener('DOMContentLoaded', () => new ResizeObserver(tell).observe(document.body))
}`

const SEARCH = `const form = document.getElementById('pets-search')
const list = document.getElementById('pets-found')
const gone = document.getElementById('pets-gone')
// Remove marks first: decomposing many of them on one letter takes quadratic time.
const MARKS = /\\p{M}/gu
const fold = (text) => text.replace(MARKS, '').normalize('NFD').replace(MARKS, '').toLowerCase()
// Exact beyond 2^53.
const exact = (name, value, { source } = {}) => (/^(?:id|categoryId)$/.test(name) ? (source ?? String(value)) : value)
let animals
// Loads once, and again after a failure.
const load = () =>
  (animals ??= fetch('animals.json')
    .then(async (response) => JSON.parse(await response.text(), exact))
    .catch(() => (animals = undefined)))
// Its page, or else the first list.
const pathOf = (id) => hasPages ? \`animal/\${BigInt(id) / 1000n}/\${id}.html\` : \`index.html#pets-animal-\${id}\`
const linkTo = (href, words) => Object.assign(document.createElement('a'), { href, textContent: words })
// "dog" and "dogs" both find a category.
const isCategory = (word, text) => text.length > 1 && (word.includes(text) || (word.length > 1 && text.startsWith(word)))
form.hidden = false
form.addEventListener('submit', (event) => event.preventDefault())
form.addEventListener('input', async () => {
  const all = await load()
  if (all === undefined) return
  const typed = form.querySelector('input').value.trim()
  const text = fold(typed)
  const categories = new Map(all.map(({ categoryId, category }) => [categoryId, category]))
  const found = new Map([...categories].filter(([, category]) => isCategory(fold(category), text)))
  const fits = ({ id, name, categoryId }) => id === typed || found.has(categoryId) || fold(name).includes(text)
  const links = [
    ...[...found].filter(() => categories.size > 1).map(([id, category]) => linkTo(\`category-\${id}.html\`, category)),
    ...all.filter(fits).slice(0, 50).map(({ id, name, category }) => linkTo(pathOf(id), \`\${name}, \${category}\`)),
  ]
  list.hidden = typed === ''
  const items = (links.length === 0 ? [form.dataset.nothing] : links).map((content) => {
    const item = document.createElement('li')
    item.append(content)
    return item
  })
  list.replaceChildren(...items)
})
const follow = async () => {
  const [, id] = /^#pets-animal-(-?\\d{1,19})$/.exec(location.hash) ?? []
  if (id === undefined || location.protocol === 'file:') return
  if (!hasPages && document.getElementById(\`pets-animal-\${id}\`) !== null) return
  const all = hasPages ? [] : await load()
  if (all === undefined) return
  const at = all.findIndex((one) => one.id === id)
  const page = at < ${PER_PAGE} ? 'index' : \`page-\${Math.floor(at / ${PER_PAGE}) + 1}\`
  const isThere = hasPages ? (await fetch(pathOf(id), { method: 'HEAD' })).ok : at !== -1
  if (isThere) return location.replace(hasPages ? pathOf(id) : \`\${page}.html#pets-animal-\${id}\`)
  gone.textContent = gone.dataset.gone.replace('{id}', id)
  gone.hidden = false
}
addEventListener('hashchange', follow)
follow()
`

/** Without its script element, it uses the web address in Settings. */
const EMBED = `const ours = /\\/embed\\.js(?:[?#]|$)/
const script = document.currentScript ?? [...document.scripts].find(({ src }) => ours.test(src))
const address = ours.test(script?.src) ? script.src : known
if (address === '') {
  return console.error('The animals cannot be shown, because embed.js does not know its address: load it with a script element, or set the web address of the public page in Settings.')
}
const base = new URL('.', address)
const set = (element, styles) => {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, 'important')
}
const show = () => {
  // A frame in a shadow root: no styles of the website reach into the page, and none of the page reach out.
  const host = document.createElement('pets-animals')
  set(host, { all: 'initial', display: 'block' })
  const frame = document.createElement('iframe')
  frame.title = title
  frame.src = new URL(/^#pets-animal-/.test(location.hash) ? \`index.html\${location.hash}\` : 'index.html', base)
  set(frame, { display: 'block', width: '100%', height: '40rem', border: '0' })
  host.attachShadow({ mode: 'open' }).append(frame)
  const place = document.getElementById('pets-animals')
  if (place !== null) place.append(host)
  else if (script?.parentElement?.closest('body')) script.after(host)
  else document.body.append(host)
  let isFirst = true
  frame.addEventListener('load', () => {
    const around = getComputedStyle(host.parentElement)
    const said = Object.fromEntries(colours.map((name) => [name, around.getPropertyValue(name).trim()]))
    const isLight = !/dark/.test(around.colorScheme)
    frame.contentWindow.postMessage({ pets: said, isLight }, base.origin)
    if (!isFirst && host.getBoundingClientRect().top < 0) host.scrollIntoView()
    isFirst = false
  })
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== base.origin || !Number.isFinite(data?.pets)) return
    set(frame, { height: \`\${Math.min(data.pets, 100000)}px\` })
  })
}
if (document.readyState === 'loading' && !script?.parentElement?.closest('body')) addEventListener('DOMContentLoaded', show)
else show()
`
