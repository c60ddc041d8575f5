/**
 * The newest animals as an Atom feed (RFC 4287). Ids are made from the identity of the register, so they are the same in
 * every folder, and after a restore or a copy to another engine. An entry keeps the time that it has in the present feed
 * while its content is the same, so an unchanged feed is the same text.
 */
import { createHash } from 'node:crypto'
import { factsOf, GENERATOR, type Publication, type PublishedAnimal, placeOf, titleOf } from './document.ts'
import { escaped } from './words.ts'

const MOST_ENTRIES = 100
/** An entry as it is written below, up to its end tag. */
const ENTRY = /<entry>\n<id>(.*)<\/id>\n<updated>([\dTZ:-]{20})<\/updated>\n<link .*\/>\n([\s\S]*)$/
const UPDATED = /(?<=^<updated>)[\dTZ:-]{20}(?=<\/updated>$)/m

export interface Feed {
  /** The identity of the register, and the statuses that this feed shows. */
  readonly register: string
  readonly choice: string
  /** The present feed, or any other text. */
  readonly before: string
  readonly nowMs: number
}

export function feedOf(publication: Publication, { register, choice, before, nowMs }: Feed): string {
  const { animals, wording, url = '' } = publication
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`
  const previous = new Map<string, { readonly updated: string; readonly content: string }>()
  for (const entry of before.split('</entry>\n')) {
    const [, id, updated = '', content = ''] = ENTRY.exec(entry) ?? []
    if (id !== undefined) previous.set(id, { updated, content })
  }
  const newest = animals.toReversed().slice(0, MOST_ENTRIES)
  const entries = newest.map((animal) => {
    const id = urnOf(`${register} animal ${animal.id}`)
    const content = contentOf(animal, publication)
    const one = previous.get(id)
    const updated = one?.content === content ? one.updated : now
    const link = `<link rel="alternate" type="text/html" href="${escaped(url + placeOf(animal, publication))}"/>`
    return `<entry>\n<id>${id}</id>\n<updated>${updated}</updated>\n${link}\n${content}</entry>\n`
  })
  const title = escaped(titleOf(publication.heading, publication))
  const self = url === '' ? '' : `<link rel="self" type="application/atom+xml" href="${escaped(url)}feed.atom"/>\n`
  const toText = (updated: string) => `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${wording.language.tag}">
<id>${urnOf(`${register} feed ${choice}`)}</id>
<updated>${updated}</updated>
<title>${title}</title>
<author>
<name>${title}</name>
</author>
<generator>${GENERATOR}</generator>
${self}<link rel="alternate" type="text/html" href="${escaped(url) || 'index.html'}"/>
${entries.join('')}</feed>
`
  const same = toText(UPDATED.exec(before)?.[0] ?? now)
  return same === before ? same : toText(now)
}

function contentOf(animal: PublishedAnimal, publication: Publication): string {
  const { categoryId } = animal
  const { wording } = publication
  return `<title>${escaped(wording.nameOf(animal))}</title>
<category term="${categoryId}" label="${escaped(wording.category(categoryId))}"/>
<content type="text">${escaped(factsOf(animal, publication))}</content>
`
}

/** A UUID of version 8, made from a hash (RFC 9562, 5.8). */
function urnOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return `urn:uuid:${bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
}
