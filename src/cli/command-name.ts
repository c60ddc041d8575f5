/**
 * The name by which this program was started, so that a hint can be typed as it is printed: `./pets` in a clone,
 * `pet-adoption` in the npm package, the file of a release by whatever name.
 */
// Other runtimes, on which the conformance kit runs too, do not have this module and cannot import it.
const isExecutable = process.getBuiltinModule?.('node:sea')?.isSea() ?? false

/** What starts the program says it: ./pets, scripts/start.mjs and scripts/release/pet-adoption.js. It is no setting. */
export const COMMAND = isExecutable ? process.argv0 : (process.env.PETS_STARTED_AS ?? 'pets')
delete process.env.PETS_STARTED_AS

/** A text for people, in which our commands are written as `pets …`, with the name of here. */
export function asTyped(text: string): string {
  return text.replaceAll('`pets ', `\`${COMMAND} `)
}
