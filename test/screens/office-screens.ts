/** Keys, people, the journal, the dashboard, and what is around every screen. */
import type { Page } from 'playwright-core'
import type { DashboardState, KeyPage } from '../../src/office/office-data.ts'
import { act } from '../support/browser/office-browser.ts'
import { PASSPHRASE } from '../support/office-client.ts'
import { IMPORT_SCREENS, table } from './import-screens.ts'
import { LONG_NAME, type Screen, type Stage, UNBROKEN } from './stage.ts'

/** The dialog that this button opens, on a screen with a table. */
async function dialog(stage: Stage, hash: string, opener: string | RegExp): Promise<Page> {
  const page = await table(stage, hash)
  await page.getByRole('button', { name: opener }).first().click()
  await page.getByRole('dialog').waitFor()
  return page
}

/** The dialog of this act on the first thing of a table whose name begins so. */
async function menu(stage: Stage, hash: string, of: string, word: string): Promise<Page> {
  const page = await table(stage, hash)
  await act(page, of, word)
  await page.getByRole('dialog').waitFor()
  return page
}

async function send(page: Page, button: string): Promise<void> {
  await page.getByLabel('Your passphrase').fill(PASSPHRASE)
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click()
}

/** Shows the first key of the list as banned, as if the counters had said so. */
async function ban(page: Page): Promise<void> {
  const untilMs = Date.now() + 3_600_000
  const why = { refusals: 1_000, withinMs: 3_600_000, window: 'minute', limit: 9_000_000_000, count: 12 }
  await page.route('**/api/keys?**', async (route) => {
    const { keys, ...rest } = (await (await route.fetch()).json()) as KeyPage
    const banned = { state: 'banned', bannedUntilMs: untilMs, ban: { atMs: untilMs - 7_200_000, untilMs, ...why } }
    await route.fulfill({ json: { ...rest, keys: keys.map((key, i) => (i === 0 ? { ...key, ...banned } : key)) } })
  })
  await page.getByLabel('Sort').selectOption('used')
  await page.getByText('its ban no. 12').waitFor()
}

const KEY_SCREENS: readonly Screen[] = [
  { name: 'keys', reach: async (stage) => ({ page: await table(stage, '#keys') }) },
  {
    name: 'key, what it was used for',
    async reach(stage) {
      const page = await stage.at('Olga', '#key/key_aaaaaaaaaaaaaaa0')
      await page.getByRole('heading', { name: 'The last 30 days (UTC)' }).waitFor()
      return { page }
    },
  },
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
      const page = await dialog(stage, '#keys', 'Issue key')
      await page.getByLabel('Label', { exact: true }).fill(LONG_NAME)
      await page.getByLabel('Plan').selectOption('enterprise')
      await page.getByRole('dialog').getByRole('button', { name: 'Issue key' }).click()
      await page.getByText('Type a whole number from 1').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, a secret key',
    async reach(stage) {
      const page = await dialog(stage, '#keys', 'Issue key')
      await page.getByLabel('Label', { exact: true }).fill(LONG_NAME)
      await send(page, 'Issue key')
      await page.getByRole('button', { name: 'Copy: Key' }).waitFor()
      return { page }
    },
  },
  {
    name: 'keys, one is banned',
    async reach(stage) {
      const page = await stage.at('Olga', '#keys')
      await ban(page)
      return { page }
    },
  },
  {
    name: 'dialog, unban a key',
    async reach(stage) {
      const page = await stage.at('Olga', '#keys')
      await ban(page)
      await act(page, 'key_', 'Unban key')
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, change a key',
    async reach(stage) {
      const page = await menu(stage, `#keys?text=${UNBROKEN}`, 'x', 'Change key')
      await page.getByLabel('Requests a day').fill('many')
      await page.getByRole('dialog').getByRole('button', { name: 'Change key' }).click()
      await page.getByText('Type a whole number from 1').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, rotate a key',
    reach: async (stage) => ({ page: await menu(stage, `#keys?text=${UNBROKEN}`, 'x', 'Rotate key') }),
  },
  {
    name: 'dialog, revoke a key',
    async reach(stage) {
      const page = await menu(stage, `#keys?text=${UNBROKEN}`, 'x', 'Revoke key')
      await page.getByText('No key has replaced it.').waitFor()
      return { page }
    },
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
      await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
      await page.getByText('Type a name.').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, the link of an invitation',
    async reach(stage) {
      const page = await dialog(stage, '#people', 'Invite')
      await page.getByRole('dialog').getByLabel('Name').fill(`${LONG_NAME} III.`)
      await send(page, 'Invite')
      await page.getByText('this link. It can be used once').waitFor()
      await page.keyboard.press('Escape')
      await page.getByText('It cannot be shown again.').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, a new passphrase for a person',
    reach: async (stage) => ({ page: await menu(stage, '#people', LONG_NAME, 'Make a new link') }),
  },
  {
    name: 'dialog, another role for a person',
    reach: async (stage) => ({ page: await menu(stage, '#people', LONG_NAME, 'Change role') }),
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
    name: 'people, as staff',
    async reach(stage) {
      const page = await stage.at('Stella', '#people')
      await page.getByText('This screen is for operators.').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, sign a person out everywhere',
    reach: async (stage) => ({ page: await menu(stage, '#people', 'Mia', 'Sign out everywhere') }),
  },
  {
    name: 'dialog, revoke a person',
    reach: async (stage) => ({ page: await menu(stage, '#people', LONG_NAME, 'Revoke access') }),
  },
]

const JOURNAL_SCREENS: readonly Screen[] = [
  { name: 'journal', reach: async (stage) => ({ page: await table(stage, '#journal') }) },
  { name: 'report', reach: async (stage) => ({ page: await table(stage, '#report', 'Mia') }) },
  {
    name: 'report, nothing in it',
    reach: async (stage) => {
      const page = await stage.at('Mia', '#report?month=2019-01')
      await page.getByText('Nothing came in or went out.').waitFor()
      return { page }
    },
  },
  {
    name: 'journal, of animals only',
    reach: async (stage) => ({ page: await table(stage, '#journal', 'Stella') }),
  },
  {
    name: 'journal, no entries',
    async reach(stage) {
      const page = await stage.at('Olga', '#journal?who=nobody')
      await page.getByText('The journal has no such entries by anybody').first().waitFor()
      return { page }
    },
  },
  {
    name: 'guide',
    async reach(stage) {
      const page = await stage.at('Olga', '#guide')
      await page.getByRole('heading', { name: 'For operators' }).waitFor()
      return { page }
    },
  },
  {
    name: 'journal, problem of a field',
    async reach(stage) {
      const page = await table(stage, '#journal')
      await page.getByLabel('From').fill('2026-01-02')
      await page.getByLabel('Until').fill('2026-01-01')
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
      await page.getByText('This day is before the first one.').waitFor()
      return { page }
    },
  },
  {
    name: 'journal, not loaded',
    async reach(stage) {
      const page = await table(stage, '#journal')
      await page.route('**/api/journal?**', (route) => route.abort())
      await page.getByLabel('Key').fill('key_1')
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
      await page.getByText('The journal could not be loaded.').waitFor()
      return { page }
    },
  },
]

async function dashboard(stage: Stage): Promise<Page> {
  const page = await stage.at('Olga', '#dashboard')
  await page.locator('.bars').waitFor()
  await page.locator('summary').click()
  return page
}

const DASHBOARD_SCREENS: readonly Screen[] = [
  { name: 'dashboard', reach: async (stage) => ({ page: await dashboard(stage) }) },
  {
    name: 'dashboard, much that is not well',
    async reach(stage) {
      const page = await stage.at('Olga', '#keys')
      await page.route('**/api/dashboard?**', async (route) => {
        const state = (await (await route.fetch()).json()) as DashboardState
        const warnings = [UNBROKEN, LONG_NAME, ''].map((label, i) => ({
          ...{ keyId: `key_${i}`, label, window: 'minute', share: 80, limit: 9_007_199_254_740_991, atMs: Date.now() },
        }))
        const needs = [UNBROKEN, LONG_NAME].map((sentence) => ({ sentence, href: '#keys', untilMs: Date.now() }))
        const today = state.today.map((hour, n) => ({ ...hour, admitted: n * 9_000_000_000, refused: n * n }))
        await route.fulfill({ json: { ...state, warnings, needs, today, refusedAnonymous: 9_007_199_254_740_991 } })
      })
      await page.evaluate('location.hash = "#dashboard"')
      await page.getByText('80 % of').first().waitFor()
      await page.getByText('without a valid key').waitFor()
      return { page }
    },
  },
  {
    name: 'dashboard, service away',
    async reach(stage) {
      const page = await dashboard(stage)
      await page.route('**/api/dashboard?**', (route) => route.abort())
      await page.evaluate('void document.dispatchEvent(new Event("visibilitychange"))')
      await page.getByText(/What is shown is as of/).waitFor()
      return { page }
    },
  },
]

const KEYBOARD: Screen = {
  name: 'dialog, the keys of the keyboard',
  async reach(stage) {
    const page = await stage.at('Stella', '#animals')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    return { page }
  },
}

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
  ...[...JOURNAL_SCREENS, ...DASHBOARD_SCREENS, KEYBOARD, ...MORE_SCREENS],
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
