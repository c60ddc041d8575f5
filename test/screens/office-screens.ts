/** Keys, people, the journal, the dashboard, and what is around every screen. */
import type { Page } from 'playwright-core'
import type { DashboardState, KeyPage } from '../../src/office/office-data.ts'
import { act } from '../support/browser/office-browser.ts'
import { PASSPHRASE } from '../support/office-client.ts'
import { IMPORT_SCREENS, table } from './import-screens.ts'
import { at, away, LONG_NAME, type Opener, type Screen, screen, UNBROKEN } from './stage.ts'

const ONE_KEY = `#keys?text=${UNBROKEN}`

/** The dialog that this button opens, on a screen with a table. */
function dialog(hash: string, opener: string | RegExp): Opener {
  return async (stage) => {
    const page = await table(hash)(stage)
    await page.getByRole('button', { name: opener }).first().click()
    await page.getByRole('dialog').waitFor()
    return page
  }
}

/** The dialog of this act on the first thing of a table whose name begins so. */
function menu(hash: string, of: string, word: string): Opener {
  return async (stage) => {
    const page = await table(hash)(stage)
    await act(page, of, word)
    await page.getByRole('dialog').waitFor()
    return page
  }
}

async function send(page: Page, button: string): Promise<void> {
  await page.getByRole('dialog').getByLabel('Your passphrase').fill(PASSPHRASE)
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click()
}

/** Shows the first key of the list as banned, as if the counters had said so. */
async function ban(page: Page): Promise<void> {
  const untilMs = Date.now() + 3_600_000
  const why = { refusals: 1_000, withinMs: 3_600_000, window: 'minute', limit: 9_000_000_000, count: 12 }
  await page.route('**/api/keys*', async (route) => {
    const { keys, ...rest } = (await (await route.fetch()).json()) as KeyPage
    const banned = { state: 'banned', bannedUntilMs: untilMs, ban: { atMs: untilMs - 7_200_000, untilMs, ...why } }
    await route.fulfill({ json: { ...rest, keys: keys.map((key, i) => (i === 0 ? { ...key, ...banned } : key)) } })
  })
  await page.getByLabel('Sort').selectOption('used')
  await page.getByText('its ban no. 12').waitFor()
}

const KEY_SCREENS: readonly Screen[] = [
  screen('keys', table('#keys')),
  screen('key, what it was used for', at('Olga', '#key/key_aaaaaaaaaaaaaaa0'), 'The last 30 days (UTC)'),
  screen('keys, none found', at('Olga', '#keys?text=nobody'), 'No key has this'),
  away('keys, not loaded', table(ONE_KEY), '**/api/keys*', 'The keys could not be loaded.', (page) =>
    page.getByLabel('Sort').selectOption('used'),
  ),
  screen('dialog, new key', dialog(ONE_KEY, 'Issue key'), async (page) => {
    await page.getByRole('dialog').getByLabel('Label', { exact: true }).fill(LONG_NAME)
    await page.getByRole('dialog').getByLabel('Plan').selectOption('enterprise')
    await page.getByRole('dialog').getByRole('button', { name: 'Issue key' }).click()
    await page.getByText('Type a whole number from 1').waitFor()
  }),
  screen('dialog, a secret key', dialog(ONE_KEY, 'Issue key'), async (page) => {
    await page.getByRole('dialog').getByLabel('Label', { exact: true }).fill(LONG_NAME)
    await send(page, 'Issue key')
    await page.getByRole('button', { name: 'Copy: Key' }).waitFor()
  }),
  screen('keys, one is banned', at('Olga', ONE_KEY), ban),
  screen('dialog, unban a key', at('Olga', ONE_KEY), async (page) => {
    await ban(page)
    await act(page, 'x', 'Unban key')
  }),
  screen('dialog, change a key', menu(ONE_KEY, 'x', 'Change key'), async (page) => {
    await page.getByRole('dialog').getByLabel('Requests a day').fill('many')
    await page.getByRole('dialog').getByRole('button', { name: 'Change key' }).click()
    await page.getByText('Type a whole number from 1').waitFor()
  }),
  screen('dialog, rotate a key', menu(ONE_KEY, 'x', 'Rotate key')),
  screen('dialog, revoke a key', menu(ONE_KEY, 'x', 'Revoke key'), 'No key has replaced it.'),
]

const PEOPLE_SCREENS: readonly Screen[] = [
  screen('people', table('#people')),
  away('people, not loaded', table('#people'), '**/api/people', 'The people could not be loaded.'),
  screen('dialog, invite somebody', dialog('#people', 'Invite'), async (page) => {
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await page.getByText('Type a name.').waitFor()
  }),
  screen('dialog, the link of an invitation', dialog('#people', 'Invite'), async (page) => {
    await page.getByRole('dialog').getByLabel('Name').fill(`${LONG_NAME} III.`)
    await send(page, 'Invite')
    await page.getByText('this link. It can be used once').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('It cannot be shown again.').waitFor()
  }),
  screen('dialog, a new passphrase for a person', menu('#people', LONG_NAME, 'Make a new link')),
  screen('dialog, another role for a person', menu('#people', LONG_NAME, 'Change role')),
  screen('dialog, signed out while the database is away', table('#people'), async (page) => {
    const message =
      'This browser is signed out. The database does not answer, so the end of the session is stored as soon as it does.'
    await page.route('**/api/session', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 202, json: { message } }) : route.continue(),
    )
    await page.getByRole('button', { name: 'Sign out' }).first().click()
  }),
  screen('dialog, signing out with a name typed', at('Stella', '#add'), async (page) => {
    await page.getByLabel('Name').fill(LONG_NAME)
    await page.getByRole('button', { name: 'Sign out' }).first().click()
  }),
  screen('people, as staff', at('Stella', '#people'), 'This screen is for operators.'),
  screen('dialog, sign a person out everywhere', menu('#people', 'Mia', 'Sign out everywhere')),
  screen('dialog, revoke a person', menu('#people', LONG_NAME, 'Revoke access')),
]

const JOURNAL_SCREENS: readonly Screen[] = [
  screen('journal', table('#journal')),
  screen('report', table('#report', 'Mia')),
  screen('report, nothing in it', at('Mia', '#report?month=2019-01'), 'Nothing came in or went out.'),
  screen('journal, of animals only', table('#journal', 'Stella')),
  screen('journal, no entries', at('Olga', '#journal?who=nobody'), 'The journal has no such entries by anybody'),
  screen('guide', at('Olga', '#guide'), 'For operators'),
  screen('journal, problem of a field', table('#journal?kind=change'), async (page) => {
    await page.getByLabel('From').fill('2026-01-02')
    await page.getByLabel('Until').fill('2026-01-01')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByText('This day is before the first one.').waitFor()
  }),
  away(
    'journal, not loaded',
    table('#journal?kind=change'),
    '**/api/journal*',
    'The journal could not be loaded.',
    (page) => page.getByRole('button', { name: 'Filter', exact: true }).click(),
  ),
]

const dashboard = (): Opener => async (stage) => {
  const page = await stage.at('Olga', '#dashboard')
  await page.locator('.bars').waitFor()
  await page.locator('summary').click()
  return page
}

const DASHBOARD_SCREENS: readonly Screen[] = [
  screen('dashboard', dashboard()),
  screen('dashboard, much that is not well', at('Olga', '#keys'), async (page) => {
    await page.route('**/api/dashboard?**', async (route) => {
      const state = (await (await route.fetch()).json()) as DashboardState
      const nearLimits = [UNBROKEN, LONG_NAME, ''].map((label, i) => ({
        id: `key_${i}`,
        label,
        window: 'minute',
        used: 9_007_199_254_740_990,
        limit: 9_007_199_254_740_991,
        bannedUntilMs: i === 0 ? Date.now() : null,
      }))
      const needs = [UNBROKEN, LONG_NAME].map((sentence) => ({ sentence, href: '#keys', untilMs: Date.now() }))
      const today = state.today.map((hour, n) => ({ ...hour, admitted: n * 9_000_000_000, refused: n * n }))
      await route.fulfill({ json: { ...state, nearLimits, needs, today, refusedAnonymous: 9_007_199_254_740_991 } })
    })
    await page.evaluate('location.hash = "#dashboard"')
    await page.getByText('740,991 this minute').first().waitFor()
    await page.getByText('without a valid key').waitFor()
  }),
  away('dashboard, service away', dashboard(), '**/api/dashboard?**', /What is shown is as of/),
]

const MORE_SCREENS: readonly Screen[] = [
  screen('account', at('Olga', '#account'), async (page) => {
    await page.getByRole('button', { name: 'Change passphrase' }).click()
    await page.getByText('Type the passphrase that you sign in with.').waitFor()
  }),
  screen('dialog, the keys of the keyboard', at('Stella', '#account'), (page) => page.keyboard.press('Control+?')),
  ...(['Stella', 'Mia', 'Olga'] as const).map((name) =>
    screen(`dialog, more, as ${name}`, at(name, '#account'), async (page) => {
      await page.setViewportSize({ width: 390, height: 844 })
      await page.getByRole('button', { name: 'More' }).click()
    }),
  ),
]

export const OFFICE_SCREENS: readonly Screen[] = [
  ...[...IMPORT_SCREENS, ...KEY_SCREENS, ...PEOPLE_SCREENS],
  ...[...JOURNAL_SCREENS, ...DASHBOARD_SCREENS, ...MORE_SCREENS],
]

/** How the screens begin, before there is anything to show. */
export const EMPTY_SCREENS: readonly Screen[] = [
  screen('animals, none at all', at('Stella', '#animals'), 'There are no animals yet.'),
  screen('animals, the first steps', at('Olga', '#animals'), async (page) => {
    await page.getByRole('button', { name: 'Skip “Issue a key”' }).waitFor()
  }),
  screen('import, none so far', at('Mia', '#import'), 'There are none yet.'),
  screen('keys, none at all', at('Olga', '#keys'), 'There are no keys yet.'),
  screen('dashboard, nothing yet', dashboard()),
]
