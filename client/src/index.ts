/** Typed client of the Pet Adoption Service. */
export { type Answered, type CallOptions, PetAdoption, type WithResponse } from './client.ts'
export type { Clock } from './clock.ts'
export {
  AnswerError,
  CallError,
  NetworkError,
  PetAdoptionError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts'
export { fromJson, toJson } from './json.ts'
export type { PetAdoptionOptions, Retry } from './options.ts'
export type { Hold, RateLimit } from './turns.ts'
export {
  type ListPetsQuery,
  type NewPet,
  PET_STATUS_VALUES,
  type Pet,
  type PetStatus,
} from './types.ts'
