/** Checks ports, certificate, folders and database without starting. A running service with them is not an error. */
import { assertWritable, isThere } from '../common/paths.ts'
import { assertCountersAddress } from '../counters/open.ts'
import { assertMakesBackups, assertServable, runningService } from '../store/open.ts'
import { checkPorts } from './lifecycle.ts'
import type { ServiceConfig } from './service.ts'

/** `isHeld`: systemd listens at both ports. Throws as `startService` does. */
export async function checkStart(config: ServiceConfig, isHeld: boolean): Promise<void> {
  const { database, mustExist, counters, backups, page } = config
  assertCountersAddress(counters)
  const running = await runningService(database)
  const own = [running?.listensAt, running?.operatorUrl].map((url) => (url === undefined ? '' : new URL(url).port))
  // A service of an earlier version does not announce its addresses.
  const isKnown = running === undefined || running.listensAt !== undefined
  if (!isHeld) await checkPorts(config, (port) => isKnown && !own.includes(String(port)))
  if (backups !== undefined) {
    await assertMakesBackups(database)
    assertWritable(backups.folder, 'Backups cannot be written to', '--backup-dir')
  }
  if (page !== undefined) {
    assertWritable(page, 'The public page cannot be written to', '--publish')
    if (isThere(page)) (await import('../public-page/folder.ts')).prepareFolder(page)
  }
  await assertServable(database, mustExist)
}
