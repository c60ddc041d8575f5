/** Routes for categories. */
import type { Static } from '../../contract/schemas.ts'
import { INT64, json, list, object } from './route.ts'

const MOST_NAMES = 1_000

/** An id of null is the least free number; a label of null removes the name. */
const CATEGORY_NAME = object({ id: { ...INT64, type: ['string', 'null'] }, label: { type: ['string', 'null'] } })

export type CategoryName = Static<typeof CATEGORY_NAME>

export interface Category {
  readonly id: string
  readonly label: string
}

export interface CategoryInUse extends CategoryName {
  readonly id: string
  readonly animals: number
  readonly removed: number
}

export interface CategoriesInUse {
  /** By number: all named categories, and the unnamed ones with most animals. */
  readonly categories: readonly CategoryInUse[]
  /** The number of other unnamed categories. */
  readonly others: number
}

export const CATEGORY_ROUTES = {
  'GET /api/categories': { role: 'viewer', response: json<readonly Category[]>() },
  'GET /api/categories/used': { role: 'staff', response: json<CategoriesInUse>() },
  /** 409 `conflict` if another one has the name. */
  'PUT /api/categories': {
    role: 'manager',
    body: object({ names: list(CATEGORY_NAME, MOST_NAMES) }),
    response: json<readonly Category[]>(),
  },
} as const
