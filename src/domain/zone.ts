/** The shelter's time zone, for the report, arrival dates and the public page. */
import type { Store } from '../store/store.ts'

/** The time zone of this machine, which is UTC if TZ is empty or names a file. */
export function machineZone(): string {
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone !== undefined && isZone(zone) ? zone : 'UTC'
}

export async function shelterZone({ words }: Pick<Store, 'words'>): Promise<string> {
  const { zone = machineZone() } = await words.shelter()
  return zone
}

export function isZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
