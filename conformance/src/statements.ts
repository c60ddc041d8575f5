/**
 * The version of the suite, and the statements that cases cite: what the interface states (R) and what it leaves open
 * (O), one short sentence each. Cases can fail a requirement; the answer to an open point is only reported. The numbers
 * are the project's own and are also used in its documentation.
 */
import manifest from '../package.json' with { type: 'json' }
import { FILTERS, OPERATIONS, PLANS } from './interface.ts'

/** The version of the package. */
export const KIT_VERSION = manifest.version
/** The version of the cases: the minor number grows with each new case, the major if a case demands something else. */
export const SUITE_VERSION = '2.0'
/** What the ids of the cases of this version come to, as a test computes it. */
export const SUITE_IDS = '3bec15dc6bf29439'
export const USER_AGENT = `pet-adoption-conformance/${KIT_VERSION}`

const filters = FILTERS.join(' or ')
const parameters = OPERATIONS.listPets.query.join(' or ')
const plans = Object.entries(PLANS).map(([name, { perMinute, perDay }], n) => {
  const [minute, day] = n === 0 ? [' a minute', ' a day'] : ['', '']
  return `${name} ${perMinute.toLocaleString('en')}${minute} and ${perDay.toLocaleString('en')}${day}`
})

export const STATEMENTS = {
  R1: 'The interface speaks JSON over HTTP: the base address ends in /v1, and bodies are application/json.',
  R2: 'A status is exactly one of available, pending and sold, in lower case.',
  R3: 'A new animal has a name (string) and a categoryId (int64), and may have a status.',
  R4: 'An animal has the fields of a new one and an id: an int64 that is unique and that the service assigns.',
  R5: 'An int64 is a JSON number and keeps its every digit, over the whole range of 64 bits, in and out.',
  R6: 'An Error holds code (string), message (string) and status (integer, the same as the HTTP status).',
  R7: 'The list is a JSON array of the stored animals, at most limit of them: 1 to 100, and 20 unless given.',
  R8: `With ${filters}, the list holds only animals of that ${filters}.`,
  R9: 'A valid new animal is answered with 201 and the animal as created, its id included.',
  R10: 'A new animal that lacks a required field or holds an invalid value is answered with 400, and nothing is stored.',
  R11: 'An animal is fetched by its id with 200; where there is none, the answer is 404.',
  R12: 'Fetching by id is deprecated and works until 5 December 2030; the filtered list replaces it.',
  R13: 'Every operation needs a valid key as a bearer credential; without one the answer is 401.',
  R14: `The plans: ${plans.join(', ')}, Enterprise custom.`,
  R15: 'Every response says the limit in force, the requests remaining and the Unix time, in seconds, of the reset.',
  R16: 'A request over the limit is answered with 429 and a Retry-After.',
  R17: 'A key that goes on asking after a 429 may be banned for a time.',
  R18: 'The version is 1.0.0, and /v1 in the base address is all that shows it.',
  O1: 'Categories: their fields and operations are open, and with them which categoryIds exist.',
  O2: 'The listing of orders at /store/orders is named but not defined.',
  O3: 'How the status of a stored animal changes is open.',
  O4: 'Which status an animal has that was created without one is open.',
  O5: 'The order of the list is open.',
  O6: 'How to page on beyond limit, and whether a total is given, is open.',
  O7: 'How keys are issued, scoped and revoked is open.',
  O8: 'The values of code are open.',
  O9: 'The body of a 429 is open.',
  O10: 'Whether the limits of the plans hold for these operations is open.',
  O11: 'Which of the windows the limit headers describe is open.',
  O12: 'When a window begins and ends is open.',
  O13: 'Which requests count against the limit is open.',
  O14: 'What the limit headers describe where no valid key is given is open.',
  O15: 'When a ban comes and how long it lasts is open.',
  O16: `The answer to an invalid ${parameters} in the query is open.`,
  O17: 'Unknown query parameters, unknown fields and an id sent by the client are open.',
  O18: 'The answer to an id in the path that is no int64 is open.',
  O19: 'How long a name, a body and the list of animals may be, and which characters a name may hold, is open.',
  O20: 'The finer points of JSON (7.0 for 7, a field given twice, broken UTF-8) are open.',
  O21: 'How the deprecation shows in answers, and what comes after the removal, is open.',
  O22: 'Which check comes first when a request is wrong in two ways is open.',
  O23: 'Answers that HTTP itself defines, such as 405, 415 or that to HEAD, are open.',
  O24: 'Use by web pages of other origins is open.',
  O25: 'Events and further versions are open.',
} as const

export type Statement = keyof typeof STATEMENTS

export function isStatement(text: string): text is Statement {
  return Object.hasOwn(STATEMENTS, text)
}

/**
 * Whether an answer can break the statement. An open point cannot be broken. Nor can the figures of the plans, because
 * it is open whether they apply (R14, O10), nor the ban that may come (R17).
 */
export function isRequirement(statement: Statement): boolean {
  return statement.startsWith('R') && statement !== 'R14' && statement !== 'R17'
}
