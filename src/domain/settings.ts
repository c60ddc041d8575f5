/** The shelter's settings in the database, with the rules for the office and `pets settings`. */
import { isPetStatus, PetStatus } from '../contract/schemas.ts'
import { LABEL_FORM, labelOf, WORD_FORM, wordOf } from '../rules/labels.ts'
import { isZone } from './zone.ts'

/** English by default. */
export const PAGE_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'] as const
export type PageLanguage = (typeof PAGE_LANGUAGES)[number]

interface Setting {
  readonly about: string
  /** The rule for a value, as the end of a sentence. */
  readonly rule: string
  readonly isRight: (value: string) => boolean
}

const LONGEST_LINE = 200
const isLine = (value: string) => value.length <= LONGEST_LINE && !/\p{Cc}/u.test(value)
const line = (about: string): Setting => ({
  about,
  rule: `must be a line of at most ${LONGEST_LINE} characters`,
  isRight: isLine,
})
const label = (about: string): Setting => {
  return { about, rule: `must be ${LABEL_FORM}`, isRight: (value) => labelOf(value) !== undefined }
}
const isWord = (value: string) => wordOf(value) !== undefined
const isAddress = (value: string) => isLine(value) && /^https?:\/\/[^\s"'<>]+$/.test(value) && URL.canParse(value)
const PHOTO = /^https:\/\/[^/{}]+\/[^{}]*\{(?:number|reference)\}[^{}]*$/
/** Words for statuses in languages other than the office's (../store/words.ts). */
const PAGE_WORDS = Object.fromEntries(
  PAGE_LANGUAGES.slice(1).flatMap((language) =>
    PetStatus.enum.map((status) => {
      const about = `word for ${status} on a page in ${language}`
      return [`${status}-${language}`, { about, rule: `must be ${WORD_FORM}`, isRight: isWord }]
    }),
  ),
) as Readonly<Record<`${PetStatus}-${Exclude<PageLanguage, 'en'>}`, Setting>>

export const SETTINGS = {
  name: label('name of the shelter'),
  telephone: line('phone number'),
  email: {
    about: 'email address',
    rule: 'must be an address such as office@example.org',
    isRight: (value) => isLine(value) && /^[^\s@]+@[^\s@]+$/.test(value),
  },
  address: line('address'),
  adopt: {
    about: 'web address that says how to adopt',
    rule: 'must begin with https:// or http://',
    isRight: isAddress,
  },
  zone: { about: 'time zone', rule: 'must be a time zone such as Europe/Berlin', isRight: isZone },
  page: {
    about: 'web address of the public page',
    rule: 'must begin with https:// or http://, such as https://www.example.org/animals/',
    isRight: isAddress,
  },
  title: label('title of the public page'),
  language: {
    about: 'language of the public page',
    rule: `must be one of ${PAGE_LANGUAGES.join(', ')}`,
    isRight: (value) => PAGE_LANGUAGES.some((one) => one === value),
  },
  statuses: {
    about: 'statuses of the animals on the public page',
    rule: `must be one or more of ${PetStatus.enum.join(', ')}, separated by commas`,
    isRight: (value) => toStatuses(value) !== undefined,
  },
  photos: {
    about: 'web addresses of pictures',
    rule: 'must begin with https:// and a host, followed by {number} or {reference} once',
    isRight: (value) => PHOTO.test(value) && isAddress(value.replace(/[{}]/g, '')),
  },
  'animal-pages': {
    about: 'setting for pages of single animals',
    rule: 'must be yes or no',
    isRight: (value) => value === 'yes' || value === 'no',
  },
  ...PAGE_WORDS,
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof SETTINGS
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** Only settings with a value. */
export type Settings = Readonly<Partial<Record<SettingName, string>>>

export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

/** The broken rule; undefined if the value is valid. An empty value removes the setting. */
export function settingProblem(name: SettingName, value: string): string | undefined {
  const { isRight, rule } = SETTINGS[name]
  return value === '' || isRight(value) ? undefined : rule
}

/** Statuses separated by commas; undefined if one is invalid or repeated. */
export function toStatuses(text: string): readonly PetStatus[] | undefined {
  const list = text.split(',').map((part) => part.trim())
  return list.every(isPetStatus) ? [...new Set(list)] : undefined
}
