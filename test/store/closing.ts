/** What a test opens is closed when it is over, whether it holds or not: the last one first. */
import { afterEach } from 'node:test'
import { Client } from 'pg'

export function closeAfterEach() {
  const open: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })
  return {
    closing<T extends { close(): unknown }>(opened: T): T {
      open.push(() => opened.close())
      return opened
    },
    async clientOf(url: string): Promise<Client> {
      const client = new Client({ connectionString: url })
      await client.connect()
      open.push(() => client.end())
      return client
    },
  }
}
