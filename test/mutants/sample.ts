/** Which mutants are judged when not all are, and what these few say of all. */
import { createHash } from 'node:crypto'

/** `share` of all, 0 to 1, drawn by the seed: the same mutants each time, as long as the sources are the same. */
export interface Sample {
  readonly share: number
  readonly seed: number
}

/** Undefined for what is no sample. `part` is a fraction: 1/16. */
export function sampleOf(part: string, seed: string): Sample | undefined {
  const [, drawn, of] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(part) ?? []
  const share = Number(drawn) / Number(of)
  return share <= 1 && /^\d+$/.test(seed) ? { share, seed: Number(seed) } : undefined
}

const RANGE = 2 ** 32
/** For 95 %. */
const Z = 1.96

export function isDrawn(id: string, { share, seed }: Sample): boolean {
  return createHash('sha256').update(`${seed} ${id}`).digest().readUInt32BE(0) < share * RANGE
}

/** Wilson's interval for the share of all that are noticed. */
export function interval(noticed: number, judged: number): readonly [from: number, to: number] {
  const share = noticed / judged
  const z2 = Z ** 2 / judged
  const middle = share + z2 / 2
  const half = Z * Math.sqrt((share * (1 - share)) / judged + z2 / (4 * judged))
  return [(middle - half) / (1 + z2), (middle + half) / (1 + z2)]
}
