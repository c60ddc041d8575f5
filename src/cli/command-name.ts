/**
 * The name by which this program was started, so that hints can be typed as printed: `./pets` in a clone,
 * `pet-adoption` in the npm package, whatever the file of a release is called.
 */
// Other runtimes, on which the conformance kit runs too, do not have this module and cannot import it.
const isExecutable = process.getBuiltinModule?.('node:sea')?.isSea() ?? false

/** Set by what starts the program (./pets, scripts/start.mjs, scripts/release/pet-adoption.js); not a setting. */
export const COMMAND = isExecutable ? process.argv0 : (process.env.PETS_STARTED_AS ?? 'pets')
delete process.env.PETS_STARTED_AS

/** Replaces `pets …` in a text by the name that this program has here. */
export function asTyped(text: string): string {
  return text.replaceAll('`pets ', `\`${COMMAND} `)
}
