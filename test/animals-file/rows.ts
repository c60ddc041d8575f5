/** The rows of a file that count, as the store finds them (store/staging.ts): the newest of each animal, if it is there. */
import type { AnimalsFile } from '../../src/animals-file/read.ts'
import type { Row } from '../../src/animals-file/row.ts'
import { fold } from '../../src/common/fold.ts'

export async function rowsOf(file: AnimalsFile): Promise<readonly Row[]> {
  const newest = new Map<string, Row>()
  for (const row of (await Array.fromAsync(file.rows())).flat()) {
    const key = keyOf(row)
    if (orderOf(row) >= orderOf(newest.get(key))) {
      newest.delete(key)
      newest.set(key, row)
    }
  }
  return [...newest.values()].filter((row) => 'problems' in row || row.value.isGone !== true)
}

function keyOf(row: Row): string {
  if ('problems' in row) return `${row.line}`
  const { reference, same = reference } = row.value
  return same === undefined ? `${row.line}` : `of ${fold(same)}`
}

/** Times in minutes, so that the day of intake counts first. */
function orderOf(row: Row | undefined): number {
  if (row === undefined || 'problems' in row) return -Infinity
  const { from = -1, to = 2 ** 26 } = row.value.stay ?? {}
  return from * 2 ** 27 + to
}
