/**
 * The scripts of the page. `page.js` runs in each page: the search in `animals.json`, the way from a number to the page
 * of its animal, pictures that do not exist, and what the page says to a website that shows it in a frame. `embed.js`
 * runs in that website and makes the frame. Everything but the search works without script.
 */
import { GENERATOR, type Publication, toScript } from './document.ts'
import { PER_PAGE } from './page.ts'
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
  // The website decides how it is decoded: whatever that is, ASCII is the same.
  const toAscii = (text: string) =>
    toScript(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `/* ${GENERATOR} */
(() => {
const title = ${toAscii(heading)}
const known = ${toAscii(url ?? '')}
const colours = ${JSON.stringify(COLOURS)}
${EMBED}})()
`
}

/** Before anything is shown, the page knows that it is in a frame. It tells how high it is, and takes the colours. */
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
let animals
// First, because to decompose many marks on one letter takes time that grows with their square.
const MARKS = /\\p{M}/gu
const fold = (text) => text.replace(MARKS, '').normalize('NFD').replace(MARKS, '').toLowerCase()
// Of a number beyond 2^53 every digit.
const exact = (name, value, { source } = {}) => (/^(?:id|categoryId)$/.test(name) ? (source ?? String(value)) : value)
const read = async () => JSON.parse(await (await fetch('animals.json')).text(), exact)
// Once, however fast somebody types; again where it did not come.
const load = () =>
  (animals ??= read().catch((error) => {
    animals = undefined
    throw error
  }))
// On its page, or else by the first of the lists, which leads on.
const pathOf = (id) => hasPages ? \`animal/\${BigInt(id) / 1000n}/\${id}.html\` : \`index.html#pets-animal-\${id}\`
const linkTo = (href, words) => {
  const link = document.createElement('a')
  link.href = href
  link.textContent = words
  return link
}
/** A kind is found by its name or the beginning of it, as by "dog" or "dogs". */
const isKind = (category, text) => text.length > 1 && (category.includes(text) || (category.length > 1 && text.startsWith(category)))
form.hidden = false
form.addEventListener('submit', (event) => event.preventDefault())
form.addEventListener('input', async () => {
  const all = await load().catch(() => undefined)
  if (all === undefined) return
  const typed = form.querySelector('input').value.trim()
  const text = fold(typed)
  const kinds = new Map(all.map(({ categoryId, category }) => [categoryId, category]))
  const found = [...kinds].filter(([, category]) => isKind(fold(category), text))
  const ids = new Set(found.map(([id]) => id))
  const ofKind = kinds.size < 2 ? [] : found.map(([id, category]) => linkTo(\`category-\${id}.html\`, category))
  const fits = ({ id, name, categoryId }) => id === typed || ids.has(categoryId) || fold(name).includes(text)
  const named = all.filter(fits).slice(0, 50).map(({ id, name, category }) => linkTo(pathOf(id), \`\${name}, \${category}\`))
  list.hidden = typed === ''
  const links = [...ofKind, ...named]
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
  const at = hasPages ? 0 : (await load()).findIndex((one) => one.id === id)
  const page = at < ${PER_PAGE} ? 'index' : \`page-\${Math.floor(at / ${PER_PAGE}) + 1}\`
  const isThere = hasPages ? (await fetch(pathOf(id), { method: 'HEAD' })).ok : at !== -1
  if (isThere) return location.replace(hasPages ? pathOf(id) : \`\${page}.html#pets-animal-\${id}\`)
  gone.textContent = gone.dataset.gone.replace('{id}', id)
  gone.hidden = false
}
addEventListener('hashchange', follow)
follow()
`

/** Where a tool runs the script without its element, the address of the page in the settings leads to the files. */
const EMBED = `const ours = /\\/embed\\.js(?:[?#]|$)/
const script = document.currentScript ?? [...document.scripts].find(({ src }) => ours.test(src))
const address = ours.test(script?.src) ? script.src : known
if (address === '') {
  return console.error('The animals cannot be shown: embed.js does not know its address; load it by a script element, or set the web address of the public page in Settings.')
}
const base = new URL('.', address)
const set = (element, styles) => {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, 'important')
}
const show = () => {
  // Neither the styles of the website nor those of the page reach into each other: a frame, in a shadow root.
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
