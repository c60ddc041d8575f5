/**
 * What every page of the folder has: its head, as visitors, search engines and those who share it read it, and how the
 * shelter is reached. Pages load nothing but files of their folder, and pictures where the shelter has said so.
 */
import { DAY_MS } from '../common/clock.ts'
import type { StoredAnimal } from '../store/rows.ts'
import { escaped, filled, visible, type Wording } from './words.ts'

/** An animal with what is known of it besides. */
export interface PublishedAnimal extends StoredAnimal {
  /** When the day on which its wait began begins in UTC, in Unix ms, and the address of its picture. */
  readonly sinceMs?: number | undefined
  readonly photo?: string | undefined
}

/** What the shelter says of itself; `adopt` is the page that says how to. */
type Contact = Readonly<Partial<Record<'name' | 'telephone' | 'email' | 'address' | 'adopt', string | undefined>>>

/** What is published, at one moment. */
export interface Publication {
  readonly heading: string
  readonly contact: Contact
  /** Longest waiting first, with those before of which nobody knows since when. */
  readonly animals: readonly PublishedAnimal[]
  /** Whether animals of several statuses are shown, so that each says its own. */
  readonly hasStatuses: boolean
  /** Whether each of them has a page of its own. */
  readonly hasPages: boolean
  readonly wording: Wording
  /** The day in the shelter, as it begins in UTC, in Unix ms. */
  readonly todayMs: number
  /** Where the folder is on the web, with a slash at its end, where that is known. */
  readonly url: string | undefined
}

export interface Page {
  /** Its file in the folder. */
  readonly path: string
  readonly title: string
  readonly description: string
  readonly body: string
  /** Nodes of schema.org. */
  readonly data?: readonly object[]
  /** Not for search engines. */
  readonly isHidden?: boolean
}

/** Marks the files that this command may replace. */
export const GENERATOR = 'Written by pets publish'
const NEW_FOR_MS = 7 * DAY_MS

export function documentOf(page: Page, publication: Publication): string {
  const { path, body, data = [] } = page
  const { tag, feed } = publication.wording.language
  const root = '../'.repeat(path.split('/').length - 1)
  const graph = toScript({ '@context': 'https://schema.org', '@graph': data })
  return `<!doctype html>
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
${data.length === 0 ? '' : `<script type="application/ld+json">${graph}</script>\n`}<script src="${root}page.js"></script>
</head>
<body>
${body}${footerOf(publication)}</body>
</html>
`
}

/** For search engines, and for the preview where a link to the page is shared. */
function sharingOf({ path, title, description, isHidden = false }: Page, { url, contact, wording }: Publication) {
  const name = `<title>${escaped(title)}</title>\n`
  if (isHidden) return `${name}<meta name="robots" content="noindex">\n`
  const whole = url === undefined ? undefined : url + webPath(path)
  const canonical = whole === undefined ? '' : `<link rel="canonical" href="${escaped(whole)}">\n`
  const locale = wording.language.tag.replace('-', '_')
  const properties = { type: 'website', title, description, url: whole, site_name: contact.name, locale }
  const metas = Object.entries(properties).map(([property, content]) =>
    content === undefined ? '' : `<meta property="og:${property}" content="${escaped(content)}">\n`,
  )
  return `${name}<meta name="description" content="${escaped(description)}">\n${canonical}${metas.join('')}`
}

/** The path as it is linked: the first page is the folder itself. */
export function webPath(path: string): string {
  return path === 'index.html' ? '' : path
}

/** JSON within a script; nothing in it ends the script. */
export function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

export function titleOf(title: string, { heading, contact }: Publication): string {
  return [...new Set([title, heading, contact.name])].filter((part) => part !== undefined).join(' – ')
}

/** The heading of a page, and who the shelter is above it. */
export function headingOf(words: string, { heading, contact: { name } }: Publication): string {
  const shelter = name === undefined || name === heading ? '' : paragraphOf('pets-shelter', name)
  return `${shelter}<h1><bdi>${escaped(words)}</bdi></h1>\n`
}

function paragraphOf(className: string, text: string): string {
  return `<p class="${className}"><bdi>${escaped(text)}</bdi></p>\n`
}

/** What visitors can do to reach the shelter, as links; with `isFull` they say the number and the address too. */
export function waysOf({ contact, wording }: Publication, { subject = '', isFull = false } = {}): string {
  const { telephone, email, adopt } = contact
  const { howToAdopt, call, write } = wording.language
  const number = telephone === undefined ? undefined : toDialled(telephone)
  const about = subject === '' ? '' : `?subject=${encodeURIComponent(visible(subject).toWellFormed())}`
  const link = (href: string | undefined, verb: string, to = '', className = 'pets-act') => {
    if (href === undefined) return ''
    const words = isFull && to !== '' ? `${verb} <bdi>${escaped(to)}</bdi>` : verb
    return `<a class="${className}" target="_top" href="${escaped(href)}">${words}</a>\n`
  }
  const links = [
    link(adopt, howToAdopt, '', 'pets-act pets-first'),
    link(number && `tel:${number}`, call, telephone),
    link(email && `mailto:${encodeURI(email)}${about}`, write, email),
  ].join('')
  return links === '' ? '' : `<p class="pets-ways">\n${links}</p>\n`
}

/** Who the shelter is and how it is reached, at the end of each page. */
function footerOf(publication: Publication): string {
  const { name, telephone, address } = publication.contact
  const plain = (text: string | undefined) => (text === undefined ? '' : paragraphOf('pets-address', text))
  const spoken = telephone === undefined || toDialled(telephone) !== undefined ? undefined : telephone
  const lines = [name, address, spoken].map(plain).join('') + waysOf(publication, { isFull: true })
  return lines === '' ? '' : `<footer>\n<address class="pets-contact">\n${lines}</address>\n</footer>\n`
}

/** What a telephone dials; undefined for what is more than one number. */
function toDialled(telephone: string): string | undefined {
  const digits = telephone.replace(/\(0\)|[\s()./\u2010-\u2015-]/g, '')
  return /^\+?\d{3,15}$/.test(digits) ? digits : undefined
}

/** The shelter for search engines, where its name is known. */
export function shelterData({ contact: { name, telephone, email, address }, url }: Publication): readonly object[] {
  return name === undefined ? [] : [{ '@type': 'AnimalShelter', name, telephone, email, address, url }]
}

export function photoOf({ photo }: PublishedAnimal, loading = ' loading="lazy"'): string {
  if (photo === undefined) return ''
  return `<img class="pets-photo" src="${escaped(photo)}" alt=""${loading} referrerpolicy="no-referrer">\n`
}

/** Where the page of an animal is, for as long as there is one with its number: a thousand numbers in a folder. */
export function animalPath(id: string): string {
  return `animal/${BigInt(id) / 1_000n}/${id}.html`
}

/** Where an animal is found: on its page, or by the script on the list that it stands on. */
export function placeOf({ id }: StoredAnimal, { hasPages }: Publication): string {
  return hasPages ? animalPath(id) : `index.html#pets-animal-${id}`
}

export function factsOf({ id, categoryId, status, sinceMs }: PublishedAnimal, publication: Publication): string {
  const { hasStatuses, wording } = publication
  const { number, waitsSince } = wording.language
  const isWaiting = sinceMs !== undefined && status !== 'sold'
  return [
    wording.category(categoryId),
    ...(hasStatuses && status !== undefined ? [wording.status(status)] : []),
    ...(isWaiting ? [`${waitsSince} ${wording.day(sinceMs)}`] : []),
    `${number} ${id}`,
  ].join(', ')
}

/** An animal in a list. `root` leads to the folder; undefined for no link. The kind is left out where all have it. */
export function itemOf(
  animal: PublishedAnimal,
  { wording, todayMs, hasStatuses }: Publication,
  root: string | undefined,
  saysKind: boolean,
): string {
  const { id, categoryId, status, sinceMs } = animal
  const { waits, isNew } = wording.language
  const isWaiting = sinceMs !== undefined && status !== 'sold'
  const facts = [
    hasStatuses &&
      status !== undefined &&
      `<span class="pets-status pets-${status}">${escaped(wording.status(status))}</span>`,
    isWaiting && todayMs - sinceMs < NEW_FOR_MS && `<span class="pets-new">${isNew}</span>`,
    saysKind && `<bdi>${escaped(wording.category(categoryId))}</bdi>`,
    isWaiting && `<span class="pets-waits">${filled(waits, { month: wording.month(sinceMs, todayMs) })}</span>`,
  ].filter((fact) => fact !== false)
  const name = `<bdi>${escaped(wording.nameOf(animal))}</bdi>`
  return `<li class="pets-animal" id="pets-animal-${id}">
${photoOf(animal)}<p class="pets-name">${root === undefined ? name : `<a href="${root}${animalPath(id)}">${name}</a>`}</p>
<p class="pets-facts">${facts.join(' ')}</p>
</li>
`
}
