/**
 * The scripts of the page. `page.js` runs in each page: the search in `animals.json`, the way from a number to the page
 * of its animal, and what the page says to a website that shows it in a frame. `embed.js` runs in that website and makes
 * the frame. Everything but the search works without script.
 */
import { GENERATOR, type Publication, toScript } from './document.ts'
import { PER_PAGE } from './page.ts'
import { COLOURS } from './style.ts'

export function pageScript({ wording, hasPages }: Publication): string {
  return `/* ${GENERATOR} */
const words = ${toScript(wording.statuses())}
const colours = ${JSON.stringify(COLOURS)}
const hasPages = ${hasPages}
${FRAMED}
if (document.getElementById('pets-search') !== null) {
${SEARCH}}
`
}

export function embedScript(heading: string): string {
  // The website decides how it is decoded: whatever that is, ASCII is the same.
  const title = toScript(heading).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `/* ${GENERATOR} */
(() => {
const title = ${title}
const colours = ${JSON.stringify(COLOURS)}
${EMBED}})()
`
}

/** The page tells the website around it how high it is, and takes its colours. */
const FRAMED = `const root = document.documentElement
if (parent !== window) {
  root.classList.add('pets-framed')
  const tell = () => parent.postMessage({ pets: Math.ceil(document.body.getBoundingClientRect().height) }, '*')
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data?.pets !== 'object') return
    root.classList.toggle('pets-light', data.isLight === true)
    for (const name of colours) if (CSS.supports('color', data.pets[name])) root.style.setProperty(name, data.pets[name])
  })
  new ResizeObserver(tell).observe(document.body)
}`

const SEARCH = `const form = document.getElementById('pets-search')
const list = document.getElementById('pets-found')
const gone = document.getElementById('pets-gone')
let animals
// First, because to decompose many marks on one letter takes time that grows with their square.
const MARKS = /\\p{M}/gu
const fold = (text) => text.replace(MARKS, '').normalize('NFD').replace(MARKS, '').toLowerCase()
// Of a number beyond 2^53 every digit.
const exact = (name, value, { source } = {}) => (name === 'id' ? (source ?? String(value)) : value)
const read = async () => JSON.parse(await (await fetch('animals.json')).text(), exact)
// Once, however fast somebody types; again where it did not come.
const load = () =>
  (animals ??= read().catch((error) => {
    animals = undefined
    throw error
  }))
// On its page, or else by the first of the lists, which leads on.
const pathOf = (id) => hasPages ? \`animal/\${BigInt(id) / 1000n}/\${id}.html\` : \`index.html#pets-animal-\${id}\`
form.hidden = false
form.addEventListener('submit', (event) => event.preventDefault())
form.addEventListener('input', async () => {
  const all = await load().catch(() => undefined)
  if (all === undefined) return
  const text = form.querySelector('input').value.trim()
  const fits = ({ id, name }) => id === text || fold(name).includes(fold(text))
  const found = all.filter(fits).slice(0, 50)
  list.hidden = text === ''
  const links = found.map(({ id, name, status }) => {
    const link = document.createElement('a')
    link.href = pathOf(id)
    link.textContent = \`\${name} (\${id})\${status === undefined ? '' : \`, \${words[status]}\`}\`
    return link
  })
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

const EMBED = `const script = document.currentScript ?? document.querySelector('script[src$="/embed.js"]')
const base = new URL('.', script.src)
// Neither the styles of the website nor those of the page reach into each other: a frame, in a shadow root.
const host = document.createElement('pets-animals')
const set = (element, styles) => {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, 'important')
}
set(host, { all: 'initial', display: 'block' })
const frame = document.createElement('iframe')
frame.title = title
frame.src = new URL(/^#pets-animal-/.test(location.hash) ? \`index.html\${location.hash}\` : 'index.html', base)
set(frame, { display: 'block', width: '100%', height: '40rem', border: '0' })
host.attachShadow({ mode: 'open' }).append(frame)
script.after(host)
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
`
