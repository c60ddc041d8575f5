/** A connection that leaves nothing behind when it cannot be made, and says what people can do about it. */
import { Client as PgClient } from 'pg'
import { StoreUnusable } from '../../store.ts'

/** pg's own words where the server asks for a password and there is none. */
const NO_PASSWORD = /client password must be a (?:non-empty )?string/

/** pg leaves a connection open that fails in the middle of the sign-in, and with it the process. */
export class Client extends PgClient {
  override connect(): Promise<PgClient>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<PgClient> | undefined {
    const connecting = super.connect().catch((error: Error) => {
      this.end().catch(() => {})
      throw NO_PASSWORD.test(error.message) ? new StoreUnusable(ASKS_FOR_PASSWORD, { cause: error }) : error
    })
    if (callback === undefined) return connecting
    connecting.then(() => (callback as () => void)(), callback)
    return undefined
  }
}

const ASKS_FOR_PASSWORD =
  'The database cannot be used: it asks for a password; give it in the address, as PGPASSWORD, or in a password file (PGPASSFILE).'
