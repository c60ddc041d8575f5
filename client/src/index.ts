/** Typed client of the Pet Adoption Service. */
export {
  type CallOptions,
  PetAdoption,
  type PetAdoptionOptions,
  type RateLimit,
  type Retry,
} from './client.ts'
export {
  AnswerError,
  CallError,
  NetworkError,
  PetAdoptionError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts'
export {
  type ListPetsQuery,
  type NewPet,
  PET_STATUS_VALUES,
  type Pet,
  type PetStatus,
} from './types.ts'
