/** The time zone in which the days of the shelter begin: of the report, of arrivals, of the public page. */
import type { Store } from '../store/store.ts'

/** The time zone of this machine, which is UTC where TZ is empty or names a file, as `:/etc/localtime`. */
export function machineZone(): string {
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone !== undefined && isZone(zone) ? zone : 'UTC'
}

/** In which the days of the shelter begin. */
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
