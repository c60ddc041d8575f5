/** The characters that properties draw, and how often. */
import fc from 'fast-check'

const { PETS_TEST_SEED } = process.env
if (PETS_TEST_SEED !== undefined) fc.configureGlobal({ seed: Number(PETS_TEST_SEED) })

const SURROGATES = { from: 0xd800, count: 0x800 }
const ofCode = (n: number) => String.fromCodePoint(n < SURROGATES.from ? n : n + SURROGATES.count)

/** A unit of `fc.string`, half ASCII; fast-check's own unit `binary` takes a second of processor time to be made. */
export const anyCharacter = fc.oneof(fc.nat(0x7f), fc.nat(0x10ffff - SURROGATES.count)).map(ofCode)

/** `usual` runs with each change, PETS_TEST_DRAWS times as many in `npm run test:long`. */
export function runs(usual: number): number {
  return usual * Number(process.env.PETS_TEST_DRAWS ?? 1)
}
