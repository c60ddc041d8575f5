/** The kinds of database that the targets can be compared over: a name, and what opens its targets. */
import type { Pin } from './machine.ts'
import { openPostgresEngine } from './postgres.ts'
import { openSqliteEngine } from './sqlite.ts'
import type { Engine, EngineOptions } from './target.ts'

export const ENGINES: Record<string, (options: EngineOptions, pin: Pin) => Promise<Engine>> = {
  sqlite: openSqliteEngine,
  postgres: openPostgresEngine,
}
