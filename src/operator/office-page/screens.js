/**
 * The screens of the office, in the order of the navigation. A screen is a module with a `show…` function that fills its container
 * and returns how to end it; to add one, import it here and give it an entry.
 */

/** @import { Role, Session } from '../office-data.ts' */

/**
 * Where in the office somebody is, as in `#animal/7` or `#animals?status=sold`.
 * @typedef {object} Parameters
 * @property {readonly string[]} path what follows the screen's name, decoded
 * @property {URLSearchParams} query
 */

/**
 * A screen that is being shown.
 * @typedef {object} Shown
 * @property {() => void} end stops timers and listeners; the container is emptied afterwards
 * @property {() => string} [unsaved] what would be lost by leaving, as a sentence; empty if nothing
 */

/**
 * @typedef {object} Screen
 * @property {string} title
 * @property {Role} role the least role that sees it
 * @property {string} [icon] the name of its picture; a screen without one is not in the navigation
 * @property {(container: HTMLElement, session: Session, parameters: Parameters) => Shown} show
 */

/** @type {Readonly<Record<string, Screen>>} */
export const SCREENS = {}

export const HOME = 'animals'
