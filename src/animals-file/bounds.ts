/** Limits for files, which come from outside: the service has 512 MiB for everything. */

/** Unpacked text. A million animals take about 62 MB. */
export const MOST_TEXT = 256 << 20
export const MOST_JSON = 24 << 20
export const MOST_WORKBOOK = 24 << 20
export const MOST_UNPACKED = 32 << 20
/** Ends of elements in a workbook, and commas and colons in JSON: a value takes much more memory than its text. */
export const MOST_MARKS = 1_200_000
export const MOST_COLUMNS = 1_000
export const MOST_ROWS = 5_000_000
export const HEAP_MB = 224
export const YOUNG_MB = 16
export const ANSWER_MS = 120_000
/** The most different values that are counted, in a column and in all columns. */
export const VALUES_OF_COLUMN = 2_000
export const VALUES_OF_ALL = 100_000
/** In UTF-16 units. A longer text is not a word. */
export const LONGEST_WORD = 200
export const MOST_WORDS = 100
