/** The use of a window of a limit. Types only, so that the page can import them too. */

export interface WindowUse {
  readonly limit: number
  readonly used: number
}
