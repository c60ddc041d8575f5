/**
 * The screens of the office, in the order of the navigation. A screen is a module with a `show…` function that fills its container
 * and returns how to end it; to add one, import it here and give it an entry.
 */
import { showAdd } from './add.js'
import { showAnimal } from './animal.js'
import { showAnimals } from './animals.js'
import { showDashboard } from './dashboard.js'
import { showImport } from './import.js'
import { showJournal } from './journal.js'
import { showKeys } from './keys.js'
import { showPeople } from './people.js'

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
export const SCREENS = {
  animals: { title: 'Animals', role: 'staff', icon: 'animals', show: showAnimals },
  animal: { title: 'Animal', role: 'staff', show: showAnimal },
  add: { title: 'Add', role: 'staff', icon: 'add', show: showAdd },
  import: { title: 'Import, export', role: 'manager', icon: 'import', show: showImport },
  keys: { title: 'Keys', role: 'operator', icon: 'keys', show: showKeys },
  people: { title: 'People', role: 'operator', icon: 'people', show: showPeople },
  journal: { title: 'Journal', role: 'operator', icon: 'journal', show: showJournal },
  dashboard: { title: 'Dashboard', role: 'operator', icon: 'dashboard', show: showDashboard },
}

export const HOME = 'animals'
