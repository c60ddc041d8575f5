/** The languages of the public page, by their tags. */
import { dutch } from './dutch.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import type { Language } from './language.ts'
import { polish } from './polish.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'

export { english } from './english.ts'
export type { Language } from './language.ts'

export const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  [english, german, french, spanish, italian, portuguese, dutch, polish].map((language) => [language.tag, language]),
)
