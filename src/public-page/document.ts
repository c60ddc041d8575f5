/**
 * What every page of the folder has: its head, as visitors, search engines and those who share it read it, and how the
 * shelter is reached. Pages load nothing but files of their folder, and pictures where the shelter has said so.
 */
import type { StoredPet } from '../store/rows.ts'
import { escaped, filled, visible, type Wording } from './words.ts'

/** An animal with what is known of it besides. */
export interface PublishedAnimal extends StoredPet {
  /** When the day on which it came began in UTC, in Unix ms, and the address of its picture. */
  readonly sinceMs?: number | undefined
  readonly photo?: string | undefined
}

/** What the shelter says of itself; `adopt` is the page that says how to. */
type Contact = Readonly<Partial<Record<'name' | 'telephone' | 'email' | 'address' | 'adopt', string | undefined>>>

/** What is published, at one moment. */
export interface Publication {
  readonly heading: string
  readonly contact: Contact
  /** Newest first. */
  readonly animals: readonly PublishedAnimal[]
  /** Whether each of them has a page of its own. */
  readonly hasPages: boolean
  readonly wording: Wording
  /** Where the folder is on the web, with a slash at its end, where that is known. */
  readonly url: string | undefined
}

export interface Page {
  /** Its file in the folder. */
  readonly path: string
  readonly title: string
  readonly description: string
  readonly body: string
  readonly photo?: string | undefined
  /** Nodes of schema.org. */
  readonly data?: readonly object[]
  /** Not for search engines. */
  readonly isHidden?: boolean
}

/** Marks the files that this command may replace. */
export const GENERATOR = 'Written by pets publish'

export function documentOf(page: Page, publication: Publication): string {
  const { path, body, data = [] } = page
  const { tag, dir, feed } = publication.wording.language
  const root = '../'.repeat(path.split('/').length - 1)
  const graph = toScript({ '@context': 'https://schema.org', '@graph': data })
  return `<!doctype html>
<html lang="${tag}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="${GENERATOR}">
${sharingOf(page, publication)}<link rel="icon" type="image/svg+xml" href="${root}favicon.svg">
<link rel="stylesheet" href="${root}style.css">
<link rel="alternate" type="application/atom+xml" title="${feed}" href="${root}feed.atom">
<link rel="alternate" type="application/json" href="${root}animals.json">
<link rel="alternate" type="text/csv" href="${root}animals.csv">
${data.length === 0 ? '' : `<script type="application/ld+json">${graph}</script>\n`}<script src="${root}page.js" defer></script>
</head>
<body>
${body}</body>
</html>
`
}

/** For search engines, and for the preview where a link to the page is shared. */
function sharingOf(
  { path, title, description, photo, isHidden = false }: Page,
  { url, contact, wording }: Publication,
) {
  const name = `<title>${escaped(title)}</title>\n`
  if (isHidden) return `${name}<meta name="robots" content="noindex">\n`
  const whole = url === undefined ? undefined : url + webPath(path)
  const canonical = whole === undefined ? '' : `<link rel="canonical" href="${escaped(whole)}">\n`
  const properties = { type: 'website', title, description, url: whole, image: photo, site_name: contact.name }
  const metas = Object.entries({ ...properties, locale: wording.language.tag }).map(([property, content]) =>
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

/** The title of a page, and whose it is. */
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

/** How the shelter is reached: what a visitor can do. `subject` is that of a mail. */
export function contactOf({ contact, wording }: Publication, subject?: string): string {
  const { telephone, email, address, adopt } = contact
  const link = (href: string, text: string, className = 'pets-act') =>
    `<p><a class="${className}" target="_top" href="${escaped(href)}"><bdi>${escaped(text)}</bdi></a></p>\n`
  const about = subject === undefined ? '' : `?subject=${encodeURIComponent(visible(subject).toWellFormed())}`
  const dialled = telephone === undefined ? undefined : toDialled(telephone)
  const plain = (text: string | undefined) => (text === undefined ? '' : paragraphOf('pets-address', text))
  const lines = [
    adopt === undefined ? '' : link(adopt, wording.language.howToAdopt, 'pets-act pets-first'),
    telephone !== undefined && dialled !== undefined ? link(`tel:${dialled}`, telephone) : plain(telephone),
    email === undefined ? '' : link(`mailto:${encodeURI(email)}${about}`, email),
    plain(address),
  ].join('')
  return lines === '' ? '' : `<address class="pets-contact">\n${lines}</address>\n`
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
export function placeOf({ id }: StoredPet, { hasPages }: Publication): string {
  return hasPages ? animalPath(id) : `index.html#pets-animal-${id}`
}

/** What is said of an animal in one line. */
export function factsOf(animal: StoredPet, wording: Wording): string {
  const { categoryId, status } = animal
  const words = [wording.category(categoryId), ...(status === undefined ? [] : [wording.status(status)])]
  return [...words, filled(wording.language.number, { id: animal.id })].join(', ')
}
