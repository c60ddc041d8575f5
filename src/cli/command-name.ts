/** The name that started this program, so that hints can be typed as printed: `./pets` in a clone, `pets` elsewhere. */

/** Set by ./pets and scripts/start.mjs. Not a setting. */
export const COMMAND = process.env.PETS_STARTED_AS ?? 'pets'
delete process.env.PETS_STARTED_AS

export function asTyped(text: string): string {
  return text.replaceAll('`pets ', `\`${COMMAND} `)
}
