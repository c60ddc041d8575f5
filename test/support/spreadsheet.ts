/** What a spreadsheet shows of a CSV file: a library that reads one as Excel does, in a code page unless it has a mark. */
import { read, utils } from '@e965/xlsx'

/** The cells of each row, as they are shown. */
export function openInSpreadsheet(file: Uint8Array | string): readonly (readonly string[])[] {
  const { SheetNames, Sheets } = read(Buffer.from(file), { type: 'buffer', raw: true })
  const sheet = Sheets[SheetNames[0] ?? '']
  return sheet === undefined ? [] : utils.sheet_to_json(sheet, { header: 1, raw: false, defval: '' })
}
