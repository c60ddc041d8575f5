/** Tables and times as a terminal shows them. */
import widthOf from 'fast-string-width'

const GAP = '  '
const LEAST_WIDTH = 8

/** Writes a table page by page: each column is as wide as its widest cell so far, cut until a line fits the terminal. */
export function tableOf(
  headings: readonly string[],
  columns = Number.POSITIVE_INFINITY,
): (rows: readonly (readonly string[])[]) => string {
  let widths: readonly number[] = headings.map(() => 0)
  let before: (readonly string[])[] = [headings]
  return (rows) => {
    const all = [...before, ...rows]
    before = []
    widths = widths.map((width, column) => Math.max(width, ...all.map((row) => widthOf(row[column] ?? ''))))
    const columnWidths = narrow(widths, columns)
    const cells = (row: readonly string[]) => row.map((cell, n) => fit(cell, columnWidths[n] ?? 0))
    return all.map((row) => `${cells(row).join(GAP).trimEnd()}\n`).join('')
  }
}

function narrow(widths: readonly number[], columns: number): readonly number[] {
  const result = [...widths]
  const width = widths.reduce((sum, width) => sum + width, (widths.length - 1) * GAP.length)
  for (let over = width - columns; over > 0; over -= 1) {
    const widest = Math.max(...result)
    if (widest <= LEAST_WIDTH) break
    result[result.indexOf(widest)] = widest - 1
  }
  return result
}

/** Exactly `width` columns: padded, or cut between two characters as people see them. */
function fit(text: string, width: number): string {
  let result = text
  if (widthOf(text) > width) {
    result = ''
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      if (widthOf(`${result}${segment}…`) > width) break
      result += segment
    }
    result += '…'
  }
  return result + ' '.repeat(Math.max(width - widthOf(result), 0))
}

/** A line for each known fact. */
export function factsOf(width: number, facts: readonly (readonly [string, string | undefined])[]): string {
  return facts.map(([name, value]) => (value === undefined ? '' : `${name.padEnd(width)}${value}\n`)).join('')
}

export function toIso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

export function toMinute(ms: number | undefined): string {
  return toIso(ms)?.slice(0, 16).concat('Z') ?? '-'
}

export function sizeOf(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
