/** What to type on PostgreSQL, whose own tools replace these commands. */
import { describeUrl } from '../../../common/url.ts'
import { StoreUnusable } from '../../store.ts'

export type Task = 'backup' | 'restore' | 'verify'

/** Without the password, which the tools ask for or take from ~/.pgpass. */
export function useTools(url: string, task: Task): StoreUnusable {
  const { hostname, port, pathname } = new URL(describeUrl(url))
  const { username } = new URL(url)
  const who = username === '' ? '' : ` --username=${word(username)}`
  const at = `--host=${word(hostname === '' ? 'localhost' : hostname)} --port=${port === '' ? '5432' : port}`
  const name = word(pathname.slice(1) || 'pets')
  const advice: Record<Task, string> = {
    backup: `A PostgreSQL database is backed up with PostgreSQL's own tool, while the service runs:

    pg_dump --format=custom ${at}${who} --file=pets.dump ${name}

To be able to restore any moment, let the server archive its log as well (point-in-time recovery):
https://www.postgresql.org/docs/current/continuous-archiving.html`,
    restore: `A PostgreSQL database is restored with PostgreSQL's own tool, once all nodes are stopped:

    pg_restore --clean --if-exists --single-transaction ${at}${who} --dbname=${name} pets.dump

Restoring another moment than the dump's needs point-in-time recovery:
https://www.postgresql.org/docs/current/continuous-archiving.html`,
    verify: `A PostgreSQL database is checked with PostgreSQL's own tool, by a superuser, while the service runs
(on Debian it is in /usr/lib/postgresql/VERSION/bin):

    pg_amcheck --install-missing --heapallindexed ${at} --username=postgres ${name}`,
  }
  return new StoreUnusable(advice[task])
}

function word(encoded: string): string {
  const text = decodeURIComponent(encoded)
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
