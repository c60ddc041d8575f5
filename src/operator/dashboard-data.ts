/** What a key has used of a window. Types only, so that the code of the page can import them too. */

export interface WindowUse {
  readonly limit: number
  readonly used: number
}
