/** Typed client of the Pet Adoption Service. */
export { PetAdoption, type WithResponse } from './client.ts'
export type { Clock } from './clock.ts'
export {
  AbortedError,
  AnswerError,
  CallError,
  NetworkError,
  PetAdoptionError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts'
export { fromJson, toJson } from './json.ts'
export { type Hold, Limiter, type LimiterOptions, type RateLimit } from './limiter.ts'
export type {
  CallOptions,
  PetAdoptionOptions,
  ReceivedResponse,
  Retry,
  SentRequest,
} from './options.ts'
export type { Answered } from './sender.ts'
export type * from './types.ts'
export { PET_STATUS_VALUES } from './types.ts'
