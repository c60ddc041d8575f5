/**
 * The name by which this program was started, so that hints can be typed as printed: `./pets` in a clone, `pets` where
 * the shell finds it.
 */

/** Set by what starts the program (./pets, scripts/start.mjs); not a setting. */
export const COMMAND = process.env.PETS_STARTED_AS ?? 'pets'
delete process.env.PETS_STARTED_AS

/** Replaces `pets …` in a text by the name that this program has here. */
export function asTyped(text: string): string {
  return text.replaceAll('`pets ', `\`${COMMAND} `)
}
