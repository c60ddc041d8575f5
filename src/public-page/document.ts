/** The common parts of pages. */
import { DAY_MS } from '../common/clock.ts'
import { animalPath, GENERATOR } from './folder.ts'
import { html, Markup, toScript } from './markup.ts'
import type { Publication, PublishedAnimal } from './publication.ts'
import { filled } from './words.ts'

export interface Page {
  readonly path: string
  readonly heading: string
  /** Begins the title; the heading by default. */
  readonly title?: string
  /** Follows the heading for search engines, which do not list a page without it. */
  readonly description?: string
  readonly className: string
  readonly header?: Markup
  readonly main: Markup
  /** A node of schema.org. */
  readonly data?: object | undefined
}

const NEW_FOR_MS = 7 * DAY_MS

export function documentOf(page: Page, publication: Publication): string {
  const { path, heading, className, header, main, data } = page
  const { settings, wording, heading: name } = publication
  const { tag, feed } = wording.language
  const root = '../'.repeat(path.split('/').length - 1)
  const graph = new Markup(
    toScript({ '@context': 'https://schema.org', '@graph': [...shelterData(publication), data] }),
  )
  return html`<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="${GENERATOR}">
${sharingOf(page, publication)}<link rel="icon" type="image/svg+xml" href="${root}favicon.svg">
<link rel="stylesheet" href="${root}style.css">
<link rel="alternate" type="application/atom+xml" title="${feed}" href="${root}feed.atom">
<link rel="alternate" type="application/json" href="${root}animals.json">
${data && html`<script type="application/ld+json">${graph}</script>\n`}<script src="${root}page.js"></script>
</head>
<body class="${className}">
<header>
${settings.name !== name && lineOf('pets-shelter', settings.name)}<h1><bdi>${heading}</bdi></h1>
${header}</header>
<main>
${main}</main>
${footerOf(publication)}</body>
</html>
`.text
}

/** For search engines, and for the preview of a link to the page. */
function sharingOf(page: Page, publication: Publication): Markup {
  const { settings, wording } = publication
  const { path, heading } = page
  const title = [...new Set([page.title ?? heading, publication.heading, settings.name])].filter(Boolean).join(' – ')
  if (page.description === undefined) return html`<title>${title}</title>\n<meta name="robots" content="noindex">\n`
  const description = `${heading}: ${page.description}`
  const url = addressOf(path, publication)
  const locale = wording.language.tag.replace('-', '_')
  const properties = { type: 'website', title, description, url, site_name: settings.name, locale }
  const metas = Object.entries(properties).map(
    ([property, content]) => content && html`<meta property="og:${property}" content="${content}">\n`,
  )
  return html`<title>${title}</title>
<meta name="description" content="${description}">
${url && html`<link rel="canonical" href="${url}">\n`}${metas}`
}

/** Undefined if the web address is unknown. The first page has the address of the folder. */
export function addressOf(path: string, { url }: Pick<Publication, 'url'>): string | undefined {
  return url === '' ? undefined : url + path.replace(/^index\.html$/, '')
}

function lineOf(className: string, text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : html`<p class="${className}"><bdi>${text}</bdi></p>\n`
}

/** Links to reach the shelter. `isFull` also shows the number and the address. */
export function waysOf({ settings, wording }: Publication, { subject = '', isFull = false } = {}): Markup | undefined {
  const { telephone, email, adopt } = settings
  const { howToAdopt, call, write } = wording.language
  const number = toDialled(telephone)
  const about = subject && `?subject=${encodeURIComponent(subject.toWellFormed())}`
  const ways = [
    [adopt, howToAdopt, ''],
    [number && `tel:${number}`, call, telephone],
    [email && `mailto:${encodeURI(email)}${about}`, write, email],
  ]
  const links = ways.flatMap(([href, verb, to]) => {
    const words = html`${verb}${isFull && to && html` <bdi>${to}</bdi>`}`
    return href ? [html`<a class="pets-act" target="_top" href="${href}">${words}</a>\n`] : []
  })
  return links.length === 0 ? undefined : html`<p class="pets-ways">\n${links}</p>\n`
}

function footerOf(publication: Publication): Markup | undefined {
  const { name, telephone, address } = publication.settings
  const spoken = toDialled(telephone) === undefined ? telephone : undefined
  const lines = [
    ...[name, address, spoken].map((text) => lineOf('pets-address', text)),
    waysOf(publication, { isFull: true }),
  ]
  if (lines.every((line) => line === undefined)) return undefined
  return html`<footer>\n<address class="pets-contact">\n${lines}</address>\n</footer>\n`
}

/** The number that a phone dials; undefined for a text that is not one number. */
function toDialled(telephone = ''): string | undefined {
  const digits = telephone.replace(/\(0\)|[\s()./\u2010-\u2015-]/g, '')
  return /^\+?\d{3,15}$/.test(digits) ? digits : undefined
}

/** For search engines. */
function shelterData(publication: Publication): readonly object[] {
  const { name, telephone, email, address } = publication.settings
  const url = addressOf('index.html', publication)
  return name === undefined ? [] : [{ '@type': 'AnimalShelter', name, telephone, email, address, url }]
}

/** In one line, for search engines and feed readers. */
export function factsOf({ pet, category, status, sinceMs }: PublishedAnimal, { wording }: Publication): string {
  const { number, waitsSince } = wording.language
  const since = sinceMs === undefined ? undefined : `${waitsSince} ${wording.day(sinceMs)}`
  return [category, status, since, `${number} ${pet.id}`].filter((fact) => fact !== undefined).join(', ')
}

export function photoOf({ photo }: PublishedAnimal): Markup | undefined {
  if (photo === undefined) return undefined
  return html`<img class="pets-photo" src="${photo}" alt="" loading="lazy" referrerpolicy="no-referrer">\n`
}

/** `root` leads to the folder. The page of a category does not repeat it. */
export function itemOf(animal: PublishedAnimal, publication: Publication, { root = '', showsCategory = true }): Markup {
  const { pet, name, category, status, sinceMs } = animal
  const { wording, todayMs, hasPages } = publication
  const { waits, isNew } = wording.language
  const words = html`<bdi>${name}</bdi>`
  const facts = [
    status && html`<span class="pets-status pets-${pet.status}">${status}</span> `,
    sinceMs !== undefined && todayMs - sinceMs < NEW_FOR_MS && html`<span class="pets-new">${isNew}</span> `,
    showsCategory && html`<bdi>${category}</bdi> `,
    sinceMs !== undefined &&
      html`<span class="pets-waits">${filled(waits, { month: wording.month(sinceMs, todayMs) })}</span>`,
  ]
  return html`<li class="pets-animal" id="pets-animal-${pet.id}">
${photoOf(animal)}<p class="pets-name">${hasPages ? html`<a href="${root}${animalPath(pet.id)}">${words}</a>` : words}</p>
<p class="pets-facts">${facts}</p>
</li>
`
}
