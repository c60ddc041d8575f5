/** The tables of languages. To add a language, add a table to more.ts, or a file like the others and its name here. */
import { dutch } from './dutch.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { korean } from './korean.ts'
import type { Language } from './language.ts'
import { MORE } from './more.ts'
import { polish } from './polish.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'

export const LANGUAGES: readonly Language[] = [
  ...[english, german, french, spanish, italian, portuguese, dutch, polish, korean],
  ...MORE,
]
