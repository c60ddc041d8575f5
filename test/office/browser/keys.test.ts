/** Keys, in a real browser. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, it } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import type { KeyPage } from '../../../src/office/office-data.ts'
import { openStore } from '../../../src/store/open.ts'
import { assertAccessible } from '../../support/browser/browser.ts'
import { addKey } from '../../support/office-app.ts'
import { PASSPHRASE } from '../../support/office-client.ts'
import { patientClock } from '../../support/time/clock.ts'
import { until } from '../../support/until.ts'
import { act, go, holdAnswers, inOffice, letRest, signIn } from './office-browser.ts'

const run = promisify(execFile)
const HTML = '<img src=x onerror="document.title=1"> & "Söhne"'
const MANY = 60

inOffice(
  'keys in the office',
  (office, browser) => {
    before(async () => {
      await office.invite('Olga', 'operator')
    })

    const open = async (hash = '#keys', options = {}) => {
      const page = await office.open(browser, 'Olga', hash, {
        permissions: ['clipboard-read', 'clipboard-write'],
        ...options,
      })
      await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
      return page
    }
    const issue = async (page: Page, label: string, fill: () => Promise<void> = async () => {}) => {
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog').getByLabel('Label', { exact: true }).fill(label)
      await fill()
      await page.getByRole('dialog').getByLabel('Your passphrase').fill(PASSPHRASE)
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      return page.getByRole('dialog').getByLabel('Key', { exact: true }).inputValue()
    }
    const row = (page: Page, label: string) => page.locator('tbody tr', { hasText: label })
    const status = async (key: string) =>
      (await fetch(`${office.service.baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } })).status

    it('show what a key was used for and refused, on a page behind its label', async () => {
      await using page = await open()
      const key = await issue(page, 'Partner of the harbour')
      await page.getByRole('button', { name: 'Done' }).click()
      for (let n = 0; n < 3; n += 1) assert.equal(await status(key), 200)
      await go(page, page.getByRole('link', { name: 'Partner of the harbour' }))
      await until('the ledger has been saved', async () => {
        await page.reload()
        await page.getByRole('heading', { name: 'The last 30 days (UTC)' }).waitFor()
        return (await page.getByRole('row', { name: 'List animals 3' }).count()) === 1
      })
      await page.getByRole('row', { name: 'Admitted 3' }).waitFor()
      await page.getByText(/^The busiest day was \d+ \w+: 3 admitted, 0 refused\.$/).waitFor()
      assert.equal(await page.locator('.bars g').count(), 30)
      await assertAccessible(page)
      await go(page, page.getByRole('link', { name: '‹ All keys' }))
      await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    })

    it('show a new key once, with a command that works immediately', async () => {
      await using page = await open()
      const key = await issue(page, HTML)
      assert.match(key, /^pets_[\w-]{48}$/)
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      await page.getByText('This will not be shown again.').waitFor()
      await page.getByRole('button', { name: 'Copy: Key' }).click()
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), key)
      const line = await page.getByRole('dialog').getByLabel('Test command', { exact: true }).inputValue()
      const { stdout } = await run('sh', ['-c', line])
      assert.match(stdout, /^HTTP\/1\.1 200 /)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.locator('dialog').waitFor({ state: 'detached' })
      await until('the row shows the use', async () => (await row(page, 'Söhne').innerText()).includes('free'))
      assert.doesNotMatch(await page.content(), new RegExp(key), 'the secret is not in the page any more')
      assert.doesNotMatch(office.service.output(), /pets_/, 'nor in the log')
      assert.equal(await page.title(), 'Keys · Office')
    })

    it('rotate a key, with both working until the time shown', async () => {
      await using page = await open()
      const old = await issue(page, 'Rotated')
      await page.getByRole('button', { name: 'Done' }).click()
      assert.equal(await status(old), 200)
      await act(page, 'Rotated', 'Rotate key')
      await page.getByRole('dialog').getByLabel('Old key expires').selectOption('3600')
      await page.getByRole('dialog').getByLabel('Your passphrase').fill(PASSPHRASE)
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click()
      const successor = await page.getByRole('dialog').getByLabel('Key', { exact: true }).inputValue()
      await page.getByText('The old key works until').waitFor()
      await page.getByRole('button', { name: 'Done' }).click()
      await until('the list is loaded again', async () => (await row(page, 'Rotated').count()) === 2)
      const lastUses = async () =>
        (await row(page, 'Rotated').locator('td:nth-last-child(2)').allInnerTexts()).map((use) => use.slice(0, 8))
      assert.deepEqual(await lastUses(), ['never', 'today at'], 'the new key was not used, though its windows were')
      for (const key of [old, successor]) assert.equal(await status(key), 200)
    })

    it('say why a key is banned, unban it and edit it, with the same secret', async () => {
      await using page = await open()
      const key = await issue(page, 'Hasty', async () => {
        await page.getByRole('dialog').getByLabel('Plan').selectOption('enterprise')
        await page.getByRole('dialog').getByLabel('Requests a minute').fill('50')
        await page.getByRole('dialog').getByLabel('Requests a day').fill('1')
      })
      await page.getByRole('button', { name: 'Done' }).click()
      for (let i = 0; i < 4; i += 1) await status(key)
      await page.reload()
      const why = '3 requests refused within 60 s after it reached its limit of 1 a day; its first ban.'
      await row(page, 'Hasty')
        .getByText(new RegExp(`^Banned until .* ${why}$`))
        .waitFor()
      await go(page, page.getByRole('link', { name: 'Hasty' }))
      await page.getByText(new RegExp(`^Banned until .* ${why}$`)).waitFor()
      await act(page, 'Hasty', 'Unban key')
      await page.getByRole('dialog').getByRole('button', { name: 'Unban key' }).click()
      await page
        .locator('#toasts')
        .getByText(/^The key “Hasty” \(key_\w+\) was unbanned\.$/)
        .waitFor()
      await page.getByText(new RegExp(`^Last banned .*: ${why}$`)).waitFor()
      await go(page, page.getByRole('link', { name: '‹ All keys' }))
      await act(page, 'Hasty', 'Edit key')
      await page.getByRole('dialog').getByLabel('Label', { exact: true }).fill('Patient')
      await page.getByRole('dialog').getByLabel('Requests a day').fill('9')
      await page.getByRole('dialog').getByRole('button', { name: 'Edit key' }).click()
      await row(page, 'Patient').getByText('1 of 9', { exact: true }).waitFor()
      assert.equal(await row(page, 'Patient').getByText('banned').count(), 0)
      assert.equal(await status(key), 200)
      // Only the change is sent: someone else has changed the rest.
      const id = await row(page, 'Patient').locator('code').first().innerText()
      await act(page, 'Patient', 'Edit key')
      await office.client('Olga').send('POST', `api/keys/${id}/edit`, { perDay: 7 })
      const save = page.getByRole('dialog').getByRole('button', { name: 'Edit key' })
      await save.click()
      await page.getByText('You have not changed anything yet.').waitFor()
      await page.getByRole('dialog').getByLabel('Label', { exact: true }).fill('Patience')
      await save.click()
      await row(page, 'Patience').getByText('2 of 7', { exact: true }).waitFor()
    })

    it('find a key by its label, and keep page, search and order on a reload', async () => {
      await addMany(office.service.database)
      await using page = await open()
      const count = page.locator('main').getByText(/keys\. Refusals are counted for today \(UTC\)\.$/)
      await page.getByLabel('Search').fill('shelter')
      await until('some are found', async () => /^60 of \d+ keys\./.test(await count.innerText()))
      const release = await holdAnswers(page, /sort=refused/)
      await page.getByLabel('Sort').selectOption('refused')
      await page.getByRole('button', { name: 'Next' }).click()
      await release()
      await page.getByText('Page 1 of 2').waitFor()
      assert.doesNotMatch(page.url(), /page=/, 'the page after one that goes is not turned to')
      await page.locator('.card:not(.waiting)').waitFor()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('Page 2 of 2').waitFor()
      await page.reload()
      await page.getByText('Page 2 of 2').waitFor()
      assert.equal(await page.getByLabel('Search').inputValue(), 'shelter')
      await page.getByLabel('Search').fill('SHELTER 47')
      await until('one is left', async () => (await page.locator('tbody tr').count()) === 1)
      await page.getByLabel('Search').fill('')
      await page.getByLabel('Sort').selectOption('used')
      const first = page.locator('tbody tr').first()
      await until('the used ones come first', async () => (await first.innerText()).includes('3 of 1,000'))
    })

    it('say after a lost response that a key might have been created', async () => {
      await using page = await open()
      await page.route('**/api/keys', async (route) => {
        if (route.request().method() === 'GET') return route.continue()
        await route.fetch()
        await route.abort()
      })
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog').getByLabel('Label', { exact: true }).fill('Lost on the way')
      await page.getByRole('dialog').getByLabel('Your passphrase').fill(PASSPHRASE)
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      await page.getByText('A key might have been created that nobody has seen').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await row(page, 'Lost on the way').waitFor()
    })

    it('keep a dialog open until its response arrives, and hide it from the next person', async () => {
      await office.invite('Sam', 'staff')
      await using page = await open()
      const answer = await holdAnswers(page, '**/api/keys', 'POST')
      const dialog = page.getByRole('dialog', { name: 'Create key' })
      const send = async (label: string) => {
        await page.getByRole('button', { name: 'Create key' }).click()
        await dialog.getByLabel('Label', { exact: true }).fill(label)
        await dialog.getByLabel('Your passphrase').fill(PASSPHRASE)
        await page.keyboard.press('Enter')
      }
      await send('Impatient')
      for (const key of ['Escape', 'Escape']) await page.keyboard.press(key)
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await answer()
      assert.match(await page.getByRole('dialog').getByLabel('Key', { exact: true }).inputValue(), /^pets_/)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.locator('dialog').waitFor({ state: 'detached' })
      await letRest(page)
      await page.context().clearCookies()
      await send('Of Olga')
      await signIn(page, 'Sam')
      await page.getByText('This screen is for operators.').waitFor()
      assert.equal(await page.getByRole('dialog').count(), 0)
      assert.equal(await page.locator('#person [data-name=account]').innerText(), 'Sam')
      assert.deepEqual((await office.client('Olga').get<KeyPage>('api/keys?text=of%20olga')).keys, [])
    })
  },
  async () => ({ args: ['--ban', '3/60s/5000s'] }),
)

/** Keys that another process adds. */
async function addMany(database: string): Promise<void> {
  const store = await openStore(database, { serving: false, clock: patientClock })
  try {
    for (let n = 0; n < MANY; n += 1) await addKey(store, { id: `key_many${n}`, label: `Shelter ${n}` })
  } finally {
    await store.close()
  }
}
