/**
 * The records of the interface. Written by scripts/generate-types.ts from the service's OpenAPI document: change that,
 * then run `npm run generate`.
 */
import type { Members } from './rules.ts'

export const PET_STATUS_VALUES = ['available', 'pending', 'sold'] as const

/** Availability status. */
export type PetStatus = (typeof PET_STATUS_VALUES)[number]

/** The body that a client sends to add an animal. */
export interface NewPet {
  /** The animal's name. */
  readonly name: string
  /** Identifier of the category the animal belongs to. Above 2^53 a double would round it. */
  readonly categoryId: bigint | number
  /** Availability status. */
  readonly status?: PetStatus | undefined
}

/** Its members, for rules.ts. */
export const NEW_PET = { name: '', categoryId: 'int64', status: '' } as const

/** An animal. */
export interface Pet {
  /** Unique identifier, assigned by the service. Never supplied by the client. Above 2^53 a double would round it. */
  readonly id: bigint
  /** The animal's name. */
  readonly name: string
  /** Identifier of the category the animal belongs to. Above 2^53 a double would round it. */
  readonly categoryId: bigint
  /** Availability status. */
  readonly status?: PetStatus
}

/** Its members, for answers.ts. */
export const PET: Members = { id: 'int64', name: 'string', categoryId: 'int64', 'status?': PET_STATUS_VALUES }

export type Pets = Pet[]

/** The body of every response from 400 up. */
export interface ErrorBody {
  /** Machine-readable error code. */
  readonly code: string
  /** Human-readable description. */
  readonly message: string
  /** The HTTP status code of the response. */
  readonly status: number
}

/** What listPets may be asked for. */
export interface ListPetsQuery {
  /** Maximum number of animals to return. From 1 to 100. 20 when not given. */
  readonly limit?: number | undefined
  /** Only animals with this status. */
  readonly status?: PetStatus | undefined
}

/** Its members, for rules.ts. */
export const LIST_PETS_QUERY = { limit: '', status: '' } as const
