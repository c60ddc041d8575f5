/**
 * The screens, in the order of the navigation. A screen is a module whose `show…` function fills its container and
 * returns how to end it. To add one, import it and add an entry.
 */

import type { Screen } from './parts/screen.ts'
import { showAdd } from './screens/add.ts'
import { showAnimal } from './screens/animal.ts'
import { asksOfAnimals, showAnimals } from './screens/animals.ts'
import { showDashboard } from './screens/dashboard.ts'
import { showImport } from './screens/import.ts'
import { showJournal } from './screens/journal.ts'
import { showKeys } from './screens/keys.ts'
import { showPeople } from './screens/people.ts'

export const SCREENS: Readonly<Record<string, Screen>> = {
  animals: { title: 'Animals', role: 'staff', icon: 'animals', show: showAnimals, asks: asksOfAnimals },
  animal: { title: 'Animal', role: 'staff', show: showAnimal },
  add: { title: 'Add', role: 'staff', icon: 'add', show: showAdd },
  import: { title: 'Import, export', role: 'manager', icon: 'import', show: showImport },
  keys: { title: 'Keys', role: 'operator', icon: 'keys', show: showKeys },
  people: { title: 'People', role: 'operator', icon: 'people', show: showPeople },
  journal: { title: 'Journal', role: 'operator', icon: 'journal', show: showJournal },
  dashboard: { title: 'Dashboard', role: 'operator', icon: 'dashboard', show: showDashboard },
}

export const HOME = 'animals'
