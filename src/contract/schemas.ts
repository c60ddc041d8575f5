/** The records of the API as JSON Schema (R2-R7), the source of the types below, of validate.ts and of openapi.ts. */

const Int64 = { type: 'integer', format: 'int64' } as const
/** Many generated clients use a floating-point number for an int64. */
const DIGITS = 'Above 2^53 a double would round it.'

export const PetStatus = {
  type: 'string',
  enum: ['available', 'pending', 'sold'],
  description: 'Availability status.',
} as const

const newPetProperties = {
  name: { type: 'string', description: "The animal's name." },
  categoryId: { ...Int64, description: `Identifier of the category the animal belongs to. ${DIGITS}` },
  status: PetStatus,
} as const

export const NewPet = {
  type: 'object',
  description: 'The body that a client sends to add an animal.',
  properties: newPetProperties,
  required: ['name', 'categoryId'],
} as const

export const Pet = {
  type: 'object',
  description: 'An animal.',
  properties: {
    id: {
      ...Int64,
      description: `Unique identifier, assigned by the service. Never supplied by the client. ${DIGITS}`,
    },
    ...newPetProperties,
  },
  required: ['id', 'name', 'categoryId'],
} as const

export const Pets = { type: 'array', items: Pet } as const

export const ErrorBody = {
  type: 'object',
  description: 'The body of every response from 400 up.',
  properties: {
    code: { type: 'string', description: 'Machine-readable error code.' },
    message: { type: 'string', description: 'Human-readable description.' },
    status: { type: 'integer', description: 'The HTTP status code of the response.' },
  },
  required: ['code', 'message', 'status'],
} as const

export const NAMED_SCHEMAS = { PetStatus, NewPet, Pet, Pets, Error: ErrorBody } as const
export type NamedSchema = (typeof NAMED_SCHEMAS)[keyof typeof NAMED_SCHEMAS]

/** Page size of the list (R7). */
export const Limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 } as const

export const PetId = Int64

interface NamedTypes {
  readonly string: string
  readonly integer: number
  readonly boolean: boolean
  readonly null: null
}

/** The TypeScript type of a schema. An int64 is a bigint. */
export type Static<S> = S extends { enum: readonly (infer V)[] }
  ? V
  : S extends { anyOf: readonly (infer One)[] }
    ? Static<One>
    : S extends { format: 'int64' }
      ? bigint
      : S extends { type: 'array'; items: infer I }
        ? readonly Static<I>[]
        : S extends { properties: infer P; required: readonly (infer R)[] }
          ? { readonly [K in keyof P as K extends R ? K : never]: Static<P[K]> } & {
              readonly [K in keyof P as K extends R ? never : K]?: Static<P[K]>
            }
          : S extends { type: infer T extends keyof NamedTypes | readonly (keyof NamedTypes)[] }
            ? NamedTypes[T extends keyof NamedTypes ? T : Extract<T, readonly (keyof NamedTypes)[]>[number]]
            : never

export type PetStatus = Static<typeof PetStatus>
export type NewPet = Static<typeof NewPet>
export type Pet = Static<typeof Pet>
export type ErrorBody = Static<typeof ErrorBody>

export function isPetStatus(value: unknown): value is PetStatus {
  return (PetStatus.enum as readonly unknown[]).includes(value)
}
