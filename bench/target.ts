/**
 * What is measured: a target is one implementation that can be given animals and started as a server. An engine is a
 * set of targets over one kind of database; adding an engine means adding a file that makes an `Engine` (see
 * `sqlite.ts`) and a line in `engines.ts`.
 */

/** How to start one server: the program and its arguments; `--port N` is added at their end, one for each node. */
export interface Launch {
  readonly argv: readonly [program: string, ...args: string[]]
  readonly nodes: number
  /** The database, as `pets import --database` takes it; undefined if there is none. */
  readonly database?: string
  /** Throws away the data that this server worked on. */
  discard(): Promise<void>
}

/** The animals are in place, and there is a key without practical limits. */
export interface Seed {
  readonly key: string
  /** A server on a fresh copy of these animals, so that runs do not affect each other. */
  launch(): Promise<Launch>
}

export interface Target {
  readonly name: string
  readonly title: string
  /** Whether it stores animals; a target that does not sends prepared bytes, of which only the shape can be checked. */
  readonly stores: boolean
  /** Processes that serve together. */
  readonly nodes: number
  /** Animals 1 to `animals`, built at most once. */
  seed(animals: number): Promise<Seed>
}

export interface Engine {
  readonly targets: readonly Target[]
  /** This service as the one file of a release, whose start is measured too; undefined where it is not. */
  readonly executable?: Target
  /** The targets that store, with their database so far away; undefined for an embedded one. */
  far?(delayMs: number): Promise<Far>
  /** Seconds that importing this CSV into a new database took, as a whole command. */
  importSeconds(csv: string): Promise<number>
  close(): Promise<void>
}

interface Far extends AsyncDisposable {
  readonly targets: readonly Target[]
}

export interface EngineOptions {
  /** Names of the targets that take part. */
  readonly names: readonly string[]
  /** Kept from one run to the next. */
  readonly cacheFolder: string
  /** Removed at the end of this run. */
  readonly workFolder: string
}
