/** The roles of people in the office. */

/** Each role may do what those before it may. */
export const ROLES = ['staff', 'manager', 'operator'] as const
export type Role = (typeof ROLES)[number]

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text)
}
