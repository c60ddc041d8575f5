/** The plans and their limits (R14). */

export interface Quota {
  readonly perMinute: number
  readonly perDay: number
}

export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  /** Each Enterprise key has its own two limits. */
  enterprise: undefined,
} as const satisfies Record<string, Quota | undefined>

export type Plan = keyof typeof PLANS
export const PLAN_NAMES = Object.keys(PLANS) as readonly Plan[]

export function isPlan(value: string): value is Plan {
  return Object.hasOwn(PLANS, value)
}
