/** The newest animals as an Atom feed (RFC 4287). An entry keeps its time while its content is the same. */
import { createHash } from 'node:crypto'
import { factsOf } from './document.ts'
import { GENERATOR } from './folder.ts'
import { html } from './markup.ts'
import type { Publication } from './publication.ts'

const MOST_ENTRIES = 100
const UPDATED = /<updated>(.*)<\/updated>\n/

/** `before` is the present feed, or any other text. */
export function feedOf(publication: Publication, before: string): string {
  const { animals, statuses, wording, url, heading, settings, register } = publication
  const now = `${new Date(publication.nowMs).toISOString().slice(0, 19)}Z`
  const timeIn = (text: string) => UPDATED.exec(text)?.[1] ?? now
  const parts = before.replace('</feed>\n', '').split(/(?=<entry>)/)
  const times = new Map(parts.map((part) => [part.replace(UPDATED, ''), timeIn(part)]))
  const newest = animals.toReversed().slice(0, MOST_ENTRIES)
  const entries = newest.map((animal) => {
    const { pet, name, category, place } = animal
    const entryAt = (updated: string | undefined) =>
      html`<entry>
<id>${urnOf(`${register} animal ${pet.id}`)}</id>
${updated && html`<updated>${updated}</updated>\n`}<link rel="alternate" type="text/html" href="${url + place}"/>
<title>${name}</title>
<category term="${pet.categoryId}" label="${category}"/>
<content type="text">${factsOf(animal, publication)}</content>
</entry>
`
    return entryAt(times.get(entryAt(undefined).text) ?? now)
  })
  const title = settings.name === undefined ? heading : `${heading} – ${settings.name}`
  const feedAt = (updated: string) =>
    html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${wording.language.tag}">
<id>${urnOf(`${register} feed ${statuses.toSorted().join(' ')}`)}</id>
<updated>${updated}</updated>
<title>${title}</title>
<author>
<name>${title}</name>
</author>
<generator>${GENERATOR}</generator>
${url !== '' && html`<link rel="self" type="application/atom+xml" href="${url}feed.atom"/>\n`}<link rel="alternate" type="text/html" href="${url || 'index.html'}"/>
${entries}</feed>
`.text
  const unchanged = feedAt(timeIn(before))
  return unchanged === before ? before : feedAt(now)
}

/** A UUID of version 8 (RFC 9562, 5.8), which stays the same after a restore and on another engine. */
function urnOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return `urn:uuid:${bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
}
