/** The clock as a parameter, so that tests can set the time and no code reads the system's clock directly. */

/** Unix milliseconds. */
export type Clock = () => number
