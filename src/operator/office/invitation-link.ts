/** The link of an invitation. The secret follows the #, which browsers send to nobody and servers log nowhere. */

/** `officeUrl` has no trailing slash. */
export function invitationLink(officeUrl: string, secret: string): string {
  return `${officeUrl}/#invitation=${secret}`
}
