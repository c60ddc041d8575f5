/** What somebody sees who is not signed in: the first screens that anybody meets. */
import { signIn } from '../support/browser/office-browser.ts'
import { LONG_NAME, type Opener, type Screen, screen } from './stage.ts'

const NOBODYS = 'x'.repeat(43)

/** The cover with this title, on the page of a guest. */
function cover(address: string, title: string | RegExp): Opener {
  return async (stage) => {
    const page = await stage.guest(`${stage.office.url}${address}`)
    await page.locator('dialog.cover').getByRole('heading', { name: title }).waitFor()
    return page
  }
}

/** The cover that welcomes somebody of this name. */
function invited(name: string): Opener {
  return async (stage) => {
    const link = await stage.office.link(name, 'operator')
    return cover(link.slice(stage.office.url.length), `Welcome, ${name}`)(stage)
  }
}

export const SIGN_IN_SCREENS: readonly Screen[] = [
  screen('sign in', cover('', 'Sign in')),
  screen('sign in, nothing typed', cover('', 'Sign in'), async (page) => {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Type your name.').waitFor()
  }),
  screen('sign in, wrong passphrase', cover('', 'Sign in'), async (page) => {
    await page.getByLabel('Name').fill(LONG_NAME)
    await page.getByLabel('Passphrase').fill('not the passphrase')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.problem:not(:empty)').waitFor()
  }),
  screen('invitation', invited(`${LONG_NAME} II.`)),
  screen('invitation, passphrases differ', invited('Ada'), async (page) => {
    await page.getByLabel('Passphrase').fill('correct horse battery')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('The two are not the same.').waitFor()
  }),
  screen('invitation that has ended', cover(`#invitation=${NOBODYS}`, 'Sign in')),
  screen('session has ended', cover('', 'Sign in'), async (page) => {
    await signIn(page, 'Stella')
    await page.locator('main h1').waitFor()
    await page.context().clearCookies()
    await page.locator('main select').first().selectOption('sold')
    await page.getByText('Your session has ended').waitFor()
  }),
  screen(
    'service is away at the start',
    ({ guest, office }) =>
      guest(office.url, async (fresh) => void (await fresh.route('**/api/session', (route) => route.abort()))),
    // Nothing may lie over it.
    (page) => page.getByRole('button', { name: 'Try again' }).click({ trial: true }),
  ),
]
