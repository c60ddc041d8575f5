/** How a command opens its database and closes it again, whatever happens in between; and who it says has changed something. */
import { userInfo } from 'node:os'
import { openStore } from '../store/open.ts'
import type { Author } from '../store/records.ts'
import type { Store } from '../store/store.ts'

/** Throws StoreUnusable when there is no such database, unless it may be made. */
export async function withStore<T>(
  { database }: { readonly database: string },
  work: (store: Store) => Promise<T>,
  { mustExist } = { mustExist: true },
): Promise<T> {
  const store = await openStore(database, { serving: false, mustExist })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The author of what this command does now. */
export function author(): Author {
  return { who: `cli ${userName()}`, atMs: Date.now() }
}

/** The system may not know the name of the user that runs the process, as in a container. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
