/** The languages of the public page, by their settings. */
import type { PageLanguage } from '../../domain/settings.ts'
import { dutch } from './dutch.ts'
import { english, type Language } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { polish } from './polish.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'

export type { Language } from './english.ts'

export const LANGUAGES: Readonly<Record<PageLanguage, Language>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  pl: polish,
}
