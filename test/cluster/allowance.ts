/** By what and by how much the promises are weaker while something is gone: what docs/scaling.md allows, as data. */
export const ALLOWANCE = {
  /** An answer comes within so many ms of asking, from a node and from nginx. */
  answerMs: { node: 2_000, nginx: 3_000 },
  /** What the clients' own machine may add to that. */
  clientMs: 150,
  /** A machine that does not run the clients for a ms does not run the nodes either, so a pause counts so many times. */
  pauseCounts: 2,
  /** How long after a fault of a node clients may still meet what it broke. */
  brokenNodeMs: 500,
  /**
   * A key is admitted as often as its limit says by all nodes that count together, and as often again by each node that
   * counted by itself in the window; a node that was started anew in it is another node.
   */
  admittedByEachThatCountsAlone: 1,
  /**
   * Redis acknowledges a count before its replica has it: a master that is lost may forget what it counted in the last so
   * many ms, and as much is admitted again. (The document allows the whole limit for each loss; a cluster does better.)
   */
  countsForgottenMs: 1_000,
  /**
   * With asynchronous replication a leader that is lost may take with it what was acknowledged in the last so many ms before
   * and while it was being lost. With synchronous replication nothing is.
   */
  animalsForgottenMs: 5_000,
} as const

/** A 503 with one of these messages promises that nothing was stored and nothing will be; any other promises nothing. */
export const NOTHING_WAS_STORED: readonly string[] = [
  'The service cannot answer at the moment; try again.',
  'The service is shutting down; try again.',
]
