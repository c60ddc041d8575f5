/**
 * Animals from NDJSON: one NewPet per line, or one Pet where ids are kept. A line that is too long is reported and
 * skipped. The rows of each chunk come together, as those of CSV do.
 */
import { numberText, parseJson } from '../contract/json.ts'
import { type Checked, checkNewPet, parseNewPet } from '../contract/validate.ts'
import type { FilePet, ReadOptions, ReadRow } from './row.ts'
import { ID_RULE, importedId, REFERENCE_RULE, referenceOf } from './row.ts'

export async function* readNdjson(
  start: string,
  chunks: AsyncIterable<string>,
  { rowLimit, withIds, reference }: ReadOptions,
): AsyncIterable<readonly ReadRow[]> {
  let line = 0
  let rest = ''
  const row = (text: string): ReadRow[] => {
    line += 1
    if (Buffer.byteLength(text) > rowLimit) return [{ line, problems: [`is longer than ${rowLimit} bytes`] }]
    if (text.trim() === '') return []
    const read = readLine(text, withIds, reference)
    return [{ line, ...read, same: 'value' in read ? read.value.reference : undefined }]
  }
  const rows = function* (chunk: string): Iterable<ReadRow> {
    let from = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      yield* row(rest + chunk.slice(from, end))
      rest = ''
      from = end + 1
    }
    // Of a line that is already too long, keep only enough to report it.
    rest = (rest + chunk.slice(from)).slice(0, rowLimit + 1)
  }
  yield [...rows(start)]
  for await (const chunk of chunks) yield [...rows(chunk)]
  yield row(rest)
}

function readLine(text: string, withIds: boolean, reference: string | undefined): Checked<FilePet> {
  const isPlain = !withIds && reference === undefined
  let sent: unknown
  try {
    sent = isPlain ? parseNewPet(text) : parseJson(text)
  } catch {
    return { problems: ['is not JSON'] }
  }
  if (isPlain || typeof sent !== 'object' || sent === null) return checkNewPet(sent)
  const { id: given, ...rest } = sent as { id?: unknown }
  const checked = checkNewPet(rest)
  if ('problems' in checked) return checked
  if (reference !== undefined) {
    const member = (sent as Readonly<Record<string, unknown>>)[reference]
    const referred = referenceOf(typeof member === 'string' ? member : (numberText(member) ?? ''))
    return referred === undefined
      ? { problems: [REFERENCE_RULE] }
      : { value: { ...checked.value, reference: referred } }
  }
  const id = importedId(numberText(given) ?? '')
  if (id === undefined) {
    return { problems: [ID_RULE] }
  }
  return { value: { ...checked.value, id } }
}
