/** Importing, keys, people, the journal, the dashboard, and what is around every screen. */
import type { Page } from 'playwright-core'
import { PASSPHRASE } from '../support/office-client.ts'
import { hold } from './animal-screens.ts'
import { LONG_NAME, type Name, type Screen, type Stage, UNBROKEN } from './stage.ts'

const FILE = `name,categoryId,status\nImported one,1,sold\n${UNBROKEN},cat,\nLuna,1,available\n${LONG_NAME},4,pending\n`

async function table(stage: Stage, hash: string, name: Name = 'Olga'): Promise<Page> {
  const page = await stage.at(name, hash)
  await page.locator('tbody tr').first().waitFor()
  return page
}

/** The dialog that this button opens, on a screen with a table. */
async function dialog(stage: Stage, hash: string, opener: string | RegExp): Promise<Page> {
  const page = await table(stage, hash)
  await page.getByRole('button', { name: opener }).first().click()
  await page.getByRole('dialog').waitFor()
  return page
}

async function send(page: Page, button: string): Promise<void> {
  await page.getByLabel('Your passphrase').fill(PASSPHRASE)
  await page.getByRole('button', { name: button, exact: true }).click()
}

async function choose(page: Page, name: string, text: string | Buffer): Promise<void> {
  await page.getByLabel('File of animals').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
}

const IMPORT_SCREENS: readonly Screen[] = [
  {
    name: 'import, a file is looked at',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await choose(page, `${UNBROKEN.slice(0, 90)}.csv`, FILE)
      await page.getByRole('button', { name: /^Import \d/ }).click()
      await page.getByText('Tick this, or correct the rows').waitFor()
      return { page }
    },
  },
  {
    name: 'import, a file that cannot be read',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await choose(page, 'picture.csv', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0xff, 0xfe]))
      await page.getByRole('heading', { name: 'picture.csv' }).waitFor()
      return { page }
    },
  },
  {
    name: 'import, on its way',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await page.route('**/api/uploads', () => {})
      await choose(page, `${UNBROKEN}.csv`, FILE)
      await page.getByText('Reading').waitFor()
      return { page }
    },
  },
  {
    name: 'import, done',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await choose(page, `${UNBROKEN.slice(0, 90)}.csv`, `name,categoryId,status\n${LONG_NAME} imported,4,pending\n`)
      await page.getByRole('button', { name: 'Import 1 animal' }).click()
      await page.locator('.good').waitFor()
      await page.locator('tbody tr').first().waitFor()
      await hold(page)
      return { page }
    },
  },
  {
    name: 'dialog, undo an import',
    async reach(stage) {
      const page = await table(stage, '#import', 'Mia')
      await page
        .getByRole('button', { name: /^Undo the import/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
]

const KEY_SCREENS: readonly Screen[] = [
  { name: 'keys', reach: async (stage) => ({ page: await table(stage, '#keys') }) },
  {
    name: 'keys, none found',
    async reach(stage) {
      const page = await stage.at('Olga', '#keys?text=nobody')
      await page.getByText('No key has this').first().waitFor()
      return { page }
    },
  },
  {
    name: 'keys, not loaded',
    async reach(stage) {
      const page = await table(stage, '#keys')
      await page.route('**/api/keys?**', (route) => route.abort())
      await page.getByLabel('Sort').selectOption('used')
      await page.getByText('The keys could not be loaded.').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, new key',
    async reach(stage) {
      const page = await dialog(stage, '#keys', 'New key')
      await page.getByLabel('Label', { exact: true }).fill(LONG_NAME)
      await page.getByLabel('Plan').selectOption('enterprise')
      await page.getByRole('button', { name: 'Issue key' }).click()
      await page.getByText('Type a whole number from 1').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, a secret key',
    async reach(stage) {
      const page = await dialog(stage, '#keys', 'New key')
      await page.getByLabel('Label', { exact: true }).fill(LONG_NAME)
      await send(page, 'Issue key')
      await page.getByRole('button', { name: 'Copy: Key' }).waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, rotate a key',
    reach: async (stage) => ({ page: await dialog(stage, `#keys?text=${UNBROKEN}`, /^Rotate/) }),
  },
  {
    name: 'dialog, revoke a key',
    reach: async (stage) => ({ page: await dialog(stage, `#keys?text=${UNBROKEN}`, /^Revoke/) }),
  },
]

const PEOPLE_SCREENS: readonly Screen[] = [
  { name: 'people', reach: async (stage) => ({ page: await table(stage, '#people') }) },
  {
    name: 'people, not loaded',
    async reach(stage) {
      const page = await table(stage, '#people')
      await page.route('**/api/people', (route) => route.abort())
      await page.evaluate('void document.dispatchEvent(new Event("visibilitychange"))')
      await page.getByText('The people could not be loaded.').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, invite somebody',
    async reach(stage) {
      const page = await dialog(stage, '#people', 'Invite')
      await page.getByRole('button', { name: 'Make a link' }).click()
      await page.getByText('Type a name.').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, the link of an invitation',
    async reach(stage) {
      const page = await dialog(stage, '#people', 'Invite')
      await page.getByRole('dialog').getByLabel('Name').fill(`${LONG_NAME} III.`)
      await send(page, 'Make a link')
      await page.getByText('this link. It can be used once').waitFor()
      await page.keyboard.press('Escape')
      await page.getByText('It cannot be shown again.').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, a new passphrase for a person',
    reach: async (stage) => ({ page: await dialog(stage, '#people', `New passphrase… ${LONG_NAME}`) }),
  },
  {
    name: 'dialog, another role for a person',
    reach: async (stage) => ({ page: await dialog(stage, '#people', `Change role… ${LONG_NAME}`) }),
  },
  {
    name: 'dialog, signed out while the database is away',
    async reach(stage) {
      const page = await table(stage, '#people')
      const message =
        'This browser is signed out. The database does not answer, so the end of the session is stored as soon as it does.'
      await page.route('**/api/session', (route) =>
        route.request().method() === 'DELETE' ? route.fulfill({ status: 202, json: { message } }) : route.continue(),
      )
      await page.getByRole('button', { name: 'Sign out' }).first().click()
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, revoke a person',
    reach: async (stage) => ({ page: await dialog(stage, '#people', `Revoke ${LONG_NAME}`) }),
  },
]

const JOURNAL_SCREENS: readonly Screen[] = [
  { name: 'journal', reach: async (stage) => ({ page: await table(stage, '#journal') }) },
  {
    name: 'journal, no entries',
    async reach(stage) {
      const page = await stage.at('Olga', '#journal?who=nobody')
      await page.getByText('The journal has no such entries.').first().waitFor()
      return { page }
    },
  },
  {
    name: 'journal, problem of a field',
    async reach(stage) {
      const page = await table(stage, '#journal')
      await page.getByLabel('Animal').fill('Luna')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByText('An animal has a whole number.').waitFor()
      return { page }
    },
  },
  {
    name: 'journal, not loaded',
    async reach(stage) {
      const page = await table(stage, '#journal')
      await page.route('**/api/journal?**', (route) => route.abort())
      await page.getByLabel('Key').fill('key_1')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByText('The journal could not be loaded.').waitFor()
      return { page }
    },
  },
]

async function dashboard(stage: Stage): Promise<Page> {
  const page = await stage.at('Olga', '#dashboard')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('canvas').nth(7).waitFor()
  return page
}

const DASHBOARD_SCREENS: readonly Screen[] = [
  { name: 'dashboard', reach: async (stage) => ({ page: await dashboard(stage) }) },
  {
    name: 'dashboard, service away',
    async reach(stage) {
      const page = await dashboard(stage)
      await page.context().setOffline(true)
      await page.evaluate('void document.dispatchEvent(new Event("visibilitychange"))')
      await page.getByText(/^Not connected; trying again/).waitFor()
      await page.context().setOffline(false)
      return { page }
    },
  },
]

const MORE_SCREENS = (['Stella', 'Mia', 'Olga'] as const).map(
  (name): Screen => ({
    name: `dialog, more, as ${name}`,
    async reach(stage) {
      const page = await stage.at(name, '#animals')
      await page.setViewportSize({ width: 390, height: 844 })
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  }),
)

export const OFFICE_SCREENS: readonly Screen[] = [
  ...[...IMPORT_SCREENS, ...KEY_SCREENS, ...PEOPLE_SCREENS],
  ...[...JOURNAL_SCREENS, ...DASHBOARD_SCREENS, ...MORE_SCREENS],
]

/** How the screens begin, before there is anything to show. */
export const EMPTY_SCREENS: readonly Screen[] = [
  {
    name: 'animals, none at all',
    async reach(stage) {
      const page = await stage.at('Stella', '#animals')
      await page.getByText('There are no animals yet.').waitFor()
      return { page }
    },
  },
  {
    name: 'import, none so far',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await page.getByText('There are none yet.').waitFor()
      return { page }
    },
  },
  {
    name: 'keys, none at all',
    async reach(stage) {
      const page = await stage.at('Olga', '#keys')
      await page.getByText('There are no keys yet.').first().waitFor()
      return { page }
    },
  },
  { name: 'dashboard, nothing yet', reach: async (stage) => ({ page: await dashboard(stage) }) },
]
