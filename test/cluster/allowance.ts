/** By how much the promises are weaker while something is down: what docs/scaling.md allows, as data. */
export const ALLOWANCE = {
  /** A response comes within this many ms of the request, from a node and from nginx. */
  answerMs: { node: 2_000, nginx: 3_000 },
  /** What a machine that runs all of it, and may be busy with something else as well, adds to that. */
  clientMs: 3_000,
  /**
   * If the machine does not run the clients for a ms it does not run the nodes either, so a pause counts this many
   * times.
   */
  pauseCounts: 2,
  /** How long after a fault of a node clients may still notice its effects. */
  brokenNodeMs: 3_000,
  /**
   * A key is admitted up to its limit by all nodes that count together, and up to its limit again by each node that
   * counted by itself in the window; a node that was restarted in it is another node. None of them admits more than its
   * own limit.
   */
  admittedByEachThatCountsAlone: 1,
  /** By how much a time in the log of a node may differ from the clients', in ms. */
  logMs: 500,
  /**
   * Redis answers before its replica has the count, so a master that is lost takes its last counts with it. In a
   * cluster whose masters are lost to nodes and replicas at once these are the counts that were on the way, or that
   * waited for a server to run on a full machine: less than those of the milliseconds given here. As many requests are
   * admitted again. A master that is only slow loses nothing.
   */
  countsForgottenMs: 1_000,
  /**
   * With asynchronous replication a lost leader may take with it what was acknowledged in the last milliseconds given
   * here, before and while it was being lost. With synchronous replication nothing is lost.
   */
  animalsForgottenMs: 5_000,
} as const

/**
 * A 503 with one of these messages promises that nothing was stored and nothing will be; any other promises nothing.
 */
export const NOTHING_WAS_STORED: readonly string[] = [
  'The service cannot answer at the moment; try again.',
  'The service is shutting down; try again.',
]
