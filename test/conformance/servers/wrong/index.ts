/** All wrong servers. */
import type { Wrong } from '../mutate.ts'
import { BODY_DEFECTS } from './bodies.ts'
import { CLIENT_DEFECTS } from './clients.ts'
import { CREATION_DEFECTS, INT64_DEFECTS, NAME_DEFECTS } from './creations.ts'
import { DEATHS } from './deaths.ts'
import { HABITS } from './habits.ts'
import { ID_DEFECTS } from './ids.ts'
import { KEY_DEFECTS } from './keys.ts'
import { LIMIT_HEADER_DEFECTS } from './limit-headers.ts'
import { LIST_DEFECTS } from './lists.ts'
import { OVER_LIMIT_DEFECTS } from './over-limit.ts'
import { FETCH_DEFECTS, REFUSAL_DEFECTS } from './refusals.ts'

/** By what is asked for. */
export const WRONG_ANSWERS: readonly Wrong[] = [
  ...LIST_DEFECTS,
  ...CREATION_DEFECTS,
  ...ID_DEFECTS,
  ...NAME_DEFECTS,
  ...INT64_DEFECTS,
  ...REFUSAL_DEFECTS,
  ...FETCH_DEFECTS,
]

/** By what comes with every answer. */
export const WRONG_MANNERS: readonly Wrong[] = [
  ...LIMIT_HEADER_DEFECTS,
  ...OVER_LIMIT_DEFECTS,
  ...KEY_DEFECTS,
  ...BODY_DEFECTS,
  ...DEATHS,
]

/** As people write them who are in a hurry. */
export const WRONG_HABITS: readonly Wrong[] = [...HABITS, ...CLIENT_DEFECTS]
