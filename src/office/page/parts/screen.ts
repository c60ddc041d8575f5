/** The interface between the router and a screen. */
import type { Role, Session } from '../../office-data.ts'

/** The parsed address, as of `#animal/7` or `#animals?status=sold`. */
export interface Parameters {
  /** The decoded segments after the screen's name. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

/** A screen while it is shown. */
export interface Shown {
  /** Stops timers and listeners; the caller then empties the container. */
  readonly end: () => void
  /** A sentence that says what leaving would lose; empty if nothing. */
  readonly unsaved?: () => string
}

export interface Screen {
  readonly title: string
  /** The least role that may see it. */
  readonly role: Role
  /** The name of its icon; a screen without one is not in the navigation. */
  readonly icon?: string
  /** The screen of the navigation that it counts as, if it is not in the navigation itself. */
  readonly within?: string
  readonly show: (container: HTMLElement, session: Session, parameters: Parameters) => Shown
  /** The paths that `show` gets first; on the first visit they are requested together with the session. */
  readonly asks?: (parameters: Parameters) => readonly string[]
}
