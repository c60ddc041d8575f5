/** What a screen of the office is, for the router and for the screens themselves. */
import type { Role, Session } from '../../office-data.ts'

/** Where in the office somebody is, as in `#animal/7` or `#animals?status=sold`. */
export interface Parameters {
  /** What follows the screen's name, decoded. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

/** A screen that is being shown. */
export interface Shown {
  /** Stops timers and listeners; the container is emptied afterwards. */
  readonly end: () => void
  /** What would be lost by leaving, as a sentence; empty if nothing. */
  readonly unsaved?: () => string
}

export interface Screen {
  readonly title: string
  /** The least role that sees it. */
  readonly role: Role
  /** The name of its picture; a screen without one is not in the navigation. */
  readonly icon?: string
  readonly show: (container: HTMLElement, session: Session, parameters: Parameters) => Shown
  /** What `show` gets at once, by path: on the first visit it is asked for beside the session. */
  readonly asks?: (parameters: Parameters) => readonly string[]
}
