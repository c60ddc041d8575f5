/** The roles of people in the office, and which includes which. */

/** Each role includes those before it. */
export const ROLES = ['viewer', 'staff', 'manager', 'operator'] as const
export type Role = (typeof ROLES)[number]

export function hasRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least)
}

export function roleWords(role: Role): string {
  return role === 'staff' ? role : `${role}s`
}
