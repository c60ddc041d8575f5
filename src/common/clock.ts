/** The time as it is passed in, so that tests set it and nothing reads the system's clock behind their backs. */

/** Unix milliseconds. */
export type Clock = () => number
