/**
 * What is measured: a target is one implementation that can be given animals and started as a server. An engine is a set
 * of targets over one kind of database; adding an engine means adding a file that makes an `Engine` (see `sqlite.ts`) and
 * a line in `engines.ts`.
 */

/** How to start one server: what follows `node`; `--port N` is added at its end, one for each node. */
export interface Launch {
  readonly argv: readonly string[]
  readonly nodes: number
  /** The database, as `pets import --database` takes it; undefined where there is none. */
  readonly database?: string
  /** Throws away the data that this server worked on. */
  discard(): Promise<void>
}

/** Animals in place, with a key that no limit will stop. */
export interface Seed {
  readonly key: string
  /** A server over a fresh copy of these animals, so that no run meets what an earlier one left. */
  launch(): Promise<Launch>
}

export interface Target {
  readonly name: string
  readonly title: string
  /** Whether it holds animals; one that does not sends ready bytes, and can only be asked for their shape. */
  readonly stores: boolean
  /** Processes that serve together. */
  readonly nodes: number
  /** Animals 1 to `animals`, built at most once. */
  seed(animals: number): Promise<Seed>
}

export interface Engine {
  readonly targets: readonly Target[]
  /** Seconds that importing this CSV into a new database took, as a whole command. */
  importSeconds(csv: string): Promise<number>
  close(): Promise<void>
}

export interface EngineOptions {
  /** Names of the targets that take part. */
  readonly names: readonly string[]
  /** Kept from one run to the next. */
  readonly cacheFolder: string
  /** Removed at the end of this run. */
  readonly workFolder: string
}
