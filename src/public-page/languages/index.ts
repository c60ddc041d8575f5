/** The languages of the public page, by their tags. */
import { dutch } from './dutch.ts'
import { english, type Language } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { polish } from './polish.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'

export { english, type Language } from './english.ts'

export const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  [english, german, french, spanish, italian, portuguese, dutch, polish].map((language) => [language.tag, language]),
)
