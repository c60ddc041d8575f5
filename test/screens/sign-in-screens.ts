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
  {
    name: 'invitation',
    async reach(stage) {
      const link = await stage.office.link(`${LONG_NAME} II.`, 'operator')
      return { page: await cover(link.slice(stage.office.url.length), /^Welcome, /)(stage) }
    },
  },
  {
    name: 'invitation, passphrases differ',
    async reach(stage) {
      const link = await stage.office.link('Ada', 'staff')
      const page = await cover(link.slice(stage.office.url.length), 'Welcome, Ada')(stage)
      await page.getByLabel('Passphrase').fill('correct horse battery')
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByText('The two are not the same.').waitFor()
      return { page }
    },
  },
  screen('invitation that has ended', cover(`#invitation=${NOBODYS}`, 'Sign in')),
  {
    name: 'session has ended',
    async reach(stage) {
      const page = await stage.guest(stage.office.url)
      await signIn(page, 'Stella')
      await page.locator('main h1').waitFor()
      await page.context().clearCookies()
      await page.locator('main select').first().selectOption('sold')
      await page.getByText('Your session has ended').waitFor()
      return { page }
    },
  },
  {
    name: 'service is away at the start',
    async reach(stage) {
      const page = await stage.guest(stage.office.url, async (fresh) => {
        await fresh.route('**/api/session', (route) => route.abort())
      })
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      return { page }
    },
  },
]
