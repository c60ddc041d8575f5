/** Where animals came from, in SQLite. */

import type { Author } from '../../author.ts'
import type { Known, OriginQuery, PetOrigins } from '../../origins.ts'
import type { PetRecord } from '../../records.ts'
import { countOfKey, idsBy, type KnownRow, knownOf, toKnown, toMinute, undoneIds } from '../../rules/origins.ts'
import { finishUndos } from '../importing/steps.ts'
import { IS_THERE } from '../rows/pets.ts'
import { LIVE, toRecord } from '../rows/records.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'

const bind = (n: number) => `?${n}`
const KNOWN = knownOf('SELECT value AS id FROM json_each(?1)')

export class SqliteOrigins implements PetOrigins {
  readonly #database: Database
  readonly #writer: Writer

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
  }

  known(ids: readonly bigint[]): readonly Known[] {
    const known = this.#database.prepare(KNOWN)
    return toKnown(ids, this.#database.read(() => known.all(`[${ids}]`)) as unknown as KnownRow[])
  }

  find({ by, sinceMs, limit }: OriginQuery): readonly PetRecord[] {
    const [ids, live] = [this.#database.prepare(idsBy(bind, IS_THERE)), this.#database.prepare(LIVE)]
    return this.#database.read(() =>
      (ids.all(by ?? null, toMinute(sinceMs), BigInt(sinceMs), limit) as unknown as [bigint][]).flatMap(
        ([id]) => toRecord(live.get(id)) ?? [],
      ),
    )
  }

  count(keyId: string, sinceMs: number): number {
    const count = this.#database.prepare(countOfKey(bind, IS_THERE))
    const [n] = this.#database.read(() => count.get(keyId, toMinute(sinceMs))) as unknown as [bigint]
    return Number(n)
  }

  /** What an undo before has hidden is first moved to the removed animals. */
  async gather(keyId: string, sinceMs: number, by: Author): Promise<bigint | undefined> {
    await finishUndos(this.#writer, this.#database.clock)
    return this.#writer.run('gatherCreated', keyId, sinceMs, by)
  }

  async undone(importN: bigint, limit: number): Promise<readonly bigint[]> {
    await finishUndos(this.#writer, this.#database.clock)
    const ids = this.#database.prepare(undoneIds(bind))
    return (this.#database.read(() => ids.all(importN, limit)) as unknown as [bigint][]).map(([id]) => id)
  }
}
