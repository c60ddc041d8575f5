/** Names that are written almost like one that was not found. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fold } from '../common/fold.ts'

/** The most letters that a name may differ by to be the nearest of a text; of short texts one less. */
const DISTANCE = 2
const SHORT = 6
/** Longer names are not compared; and how many are in one turn. */
export const COMPARED_BYTES = 100
const COMPARED_TOGETHER = 500

/**
 * Those of the names nearest to the text, which have so many animals each: the nearest first, whole names, what many are
 * called. In turns, since it may run where requests of the interface are answered.
 */
export async function nearestNames(
  animalsOf: ReadonlyMap<string, number>,
  text: string,
  limit: number,
): Promise<readonly string[]> {
  const foldedText = fold(text)
  if (Buffer.byteLength(foldedText) > COMPARED_BYTES) return []
  const most = foldedText.length < SHORT ? DISTANCE - 1 : DISTANCE
  const near: { name: string; distance: number; whole: number; animals: number }[] = []
  let compared = 0
  for (const [name, animals] of animalsOf) {
    compared += 1
    if (compared % COMPARED_TOGETHER === 0) await nextTurn()
    const folded = fold(name)
    const whole = distanceOf(folded, foldedText, most)
    const distance = Math.min(whole, ...folded.split(' ').map((part) => distanceOf(part, foldedText, most)))
    if (distance <= most) near.push({ name, distance, whole: Math.min(whole, most + 1), animals })
  }
  near.sort(
    (a, b) => a.distance - b.distance || a.whole - b.whole || b.animals - a.animals || (a.name < b.name ? -1 : 1),
  )
  return near.slice(0, limit).map(({ name }) => name)
}

/** In letters dropped, added, changed or swapped (Damerau and Levenshtein); beyond `most` any greater number. */
function distanceOf(a: string, b: string, most = Infinity): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, n) => n)]
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity
      row[j] = Math.min(changed, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
    }
    ;[before, last] = [last, row]
  }
  return last[b.length] ?? most + 1
}
