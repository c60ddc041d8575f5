/** `pets copy`: copies everything to another database and compares both. A second run continues an interrupted copy. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { counted } from '../../../common/counted.ts'
import { assertCountersAddress, openCountersToFill } from '../../../counters/open.ts'
import type { ArchivedTable, Cells } from '../../../store/archive.ts'
import { openStore } from '../../../store/open.ts'
import type { Archive, PetStore, Store } from '../../../store/store.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { CommandFailed, Option, UsageError } from '../../options.ts'
import { startProgress } from '../../progress.ts'
import { warnOnUpgrade } from '../../store.ts'

export const copy = command({
  about: 'Copy everything to another database. Stop the service first.',
  examples: ['pets copy --from sqlite:data/pets.db --to postgres://pets@db/pets'],
  takes: (command) =>
    command
      .addOption(new Option('--from <url>', 'database to read: sqlite:PATH or postgres://…').makeOptionMandatory())
      .addOption(new Option('--to <url>', 'database to fill: sqlite:PATH or postgres://…').makeOptionMandatory())
      .option('--counters <url>', 'server for the counters: redis://… or rediss://…; without it, the database of --to'),
  database: false,
  async action({ cli }, options) {
    const [from, to] = [cli.databaseUrl(options.from), cli.databaseUrl(options.to)]
    if (from === to) throw new UsageError('--from and --to are the same database. Name two databases.')
    assertCountersAddress(options.counters)
    const opening = { serving: false, clock: cli.clock, alone: true, onUpgrade: warnOnUpgrade(cli) }
    await using opened = new AsyncDisposableStack()
    const close = (store: Store) => store.close()
    const source = opened.adopt(await openStore(from, { ...opening, mustExist: true, flag: '--from' }), close)
    const target = opened.adopt(await openStore(to, { ...opening, flag: '--to' }), close)
    return await copyAll(cli, source, target, options.counters)
  },
})

async function copyAll(cli: Cli, from: Store, to: Store, countersUrl: string | undefined): Promise<string> {
  const [source, target] = [from.archive, to.archive]
  await copyAnimals(cli, from, to, target)
  await copyTables(source, target)
  const counters = await source.counters()
  if (countersUrl === undefined) await target.putCounters(counters)
  else {
    const engine = await openCountersToFill(countersUrl, cli.clock)
    await engine.putCounters(counters, cli.clock.now()).finally(() => engine.close())
  }
  const { animals, checksum } = await verify(from, to)
  const what = `${counted(animals, 'animal')}, ${counted(await from.keys.count(), 'key')}, counters of ${counted(counters.size, 'subject')}`
  return `Copied and verified: ${what}. SHA-256 of the animals: ${checksum}\n`
}

async function copyAnimals(cli: Cli, from: Store, to: Store, target: Archive): Promise<void> {
  const last = await target.lastPetId()
  // After an interrupted copy, the target is the beginning of the source.
  if (last !== undefined && !isDeepStrictEqual(await digestOf(to.pets), await digestOf(from.pets, last))) {
    throw new CommandFailed(
      'The database of --to contains other animals than the database of --from. Copy into an empty database. Nothing was changed.',
    )
  }
  const counts = await from.pets.count()
  const progress = startProgress(cli, 'animals', counts.available + counts.pending + counts.sold + counts.none)
  try {
    for await (const batch of from.pets.export(last)) {
      await target.putAnimals(batch)
      progress.advance(batch.length)
    }
  } finally {
    progress.stop()
  }
}

async function verify(from: Store, to: Store) {
  const [target, source] = [await digestOf(to.pets), await digestOf(from.pets)]
  if (!isDeepStrictEqual(target, source)) {
    throw new CommandFailed(
      `The copy differs: ${source.animals} animals (${source.checksum}) in --from, ${target.animals} (${target.checksum}) in --to. Stop all services on both and copy into an empty database.`,
    )
  }
  return target
}

async function digestOf(pets: PetStore, last?: bigint) {
  const hash = createHash('sha256')
  let animals = 0
  for await (const batch of pets.export()) {
    for (const { id, name, categoryId, status } of batch) {
      if (last !== undefined && BigInt(id) > last) continue
      hash.update(`${JSON.stringify([id, name, categoryId, status])}\n`)
      animals += 1
    }
  }
  return { animals, checksum: hash.digest('hex') }
}

async function copyTables(from: Archive, to: Archive): Promise<void> {
  for (const table of await from.tables()) {
    for await (const rows of allRows(from, table)) await to.putRows(table, rows)
    if ((await tableDigest(from, table)) === (await tableDigest(to, table))) continue
    throw new CommandFailed(
      `The table ${table.name} differs between --from and --to, because it was changed after an earlier copy. Copy into an empty database.`,
    )
  }
  await to.reserveIdsUpTo(await from.lastGivenId())
}

async function tableDigest(archive: Archive, table: ArchivedTable): Promise<string> {
  const hash = createHash('sha256')
  for await (const rows of allRows(archive, table)) for (const row of rows) hash.update(`${JSON.stringify(row)}\n`)
  return hash.digest('hex')
}

async function* allRows(archive: Archive, table: ArchivedTable): AsyncIterable<readonly Cells[]> {
  for (let after: Cells | undefined; ; ) {
    const rows = await archive.rows(table, after)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.slice(0, table.keyColumns)
  }
}
