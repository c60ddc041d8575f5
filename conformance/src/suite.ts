/** What this suite of cases is called, so that a report can say what a verdict was reached with. */

/** Of the package. */
export const KIT_VERSION = '1.1.0'
/**
 * Of the cases: the second number grows with each case that is added, the first when one comes to ask for something
 * else.
 */
export const SUITE_VERSION = '1.3'
/** The suite in which a case is that does not say since when. */
export const FIRST_SUITE = '1.0'
export const USER_AGENT = `pet-adoption-conformance/${KIT_VERSION}`
