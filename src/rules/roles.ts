/** The roles of people in the office, and which includes which. */

/** Each role includes those before it. */
export const ROLES = ['viewer', 'staff', 'manager', 'operator'] as const
export type Role = (typeof ROLES)[number]

/** Whether a role includes the rights of another one. */
export function hasRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least)
}

/** Such as "managers". */
export function roleWords(role: Role): string {
  return role === 'staff' ? role : `${role}s`
}
