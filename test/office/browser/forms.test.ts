/** The forms of the office in a real browser: each problem stands at its field, all together. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, openPage } from '../../support/browser/browser.ts'
import { until } from '../../support/until.ts'
import { act, inOffice, REPORTED } from './office-browser.ts'

const YOURS = 'Your passphrase'
const MANY = 'Type a whole number from 1 to 9,007,199,254,740,991.'
const NAME = 'Type a name.'
const CATEGORY = 'Choose a category, or type its number.'
const PASSPHRASE_NEEDED = 'Type your passphrase.'
const WRONG = 'The passphrase is wrong. Nothing was changed.'

/** The form, its screen, how to open it, what is filled in, its button, and part of each problem in field order. */
type Case = readonly [
  title: string,
  hash: string,
  open: (page: Page) => Promise<void>,
  filled: Readonly<Record<string, string>>,
  button: string,
  problems: Readonly<Record<string, string>>,
]

const shown = async () => {}
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()
const selectAll = async (page: Page) => {
  await page.getByLabel('Select all on this page').check()
  await act(page, 'selected animals', 'Change category')
}

// biome-ignore format: a case is a row
const CASES: readonly Case[] = [
  ['adding an animal', '#add', shown, {}, 'Add', { Name: NAME, Category: CATEGORY }],
  ['an animal', '#animal/1', shown, { Name: ' ', Category: '' }, 'Save', { Name: NAME, Category: CATEGORY }],
  ['a taken reference', '#animal/1', shown, { Reference: 'taken' }, 'Save', { Reference: 'that of animal 2' }],
  ['the category of several', '#animals', selectAll, {}, 'Change category', { Category: CATEGORY }],
  ['a name', '#account', shown, { 'Your name': '' }, 'Change name', { 'Your name': 'Type your name.' }],
  ['a passphrase', '#account', shown, {}, 'Change passphrase', { 'Current passphrase': 'Type', 'New passphrase': 'Type' }],
  ['the shelter', '#settings', shown, { 'Email address': 'x', 'Time zone': 'Nowhere' }, 'Save', { 'Email address': '', 'Time zone': '' }],
  ['the public page', '#settings', shown, { 'Web address': 'x', Statuses: 'x' }, 'Save', { 'Web address': 'https', Statuses: 'sold' }],
  ['the words for statuses', '#settings', shown, { 'Word for sold': 'Pending' }, 'Save', { 'Word for sold': 'taken' }],
  ['a new category', '#categories', press('Add category'), { Number: 'x' }, 'Add category', { Number: 'whole', Name: NAME }],
  ['a category’s name', '#categories', press('Edit Cats'), { Name: 'dogs' }, 'Save name', { Name: '2 is Dogs' }],
  ['an invite', '#people', press('Invite person'), {}, 'Invite person', { Name: NAME, [YOURS]: PASSPHRASE_NEEDED }],
  ['a wrong passphrase', '#people', press('Invite person'), { Name: 'Al', [YOURS]: 'x' }, 'Invite person', { [YOURS]: WRONG }],
  ['a role', '#people', (page) => act(page, 'Sam', 'Change role'), {}, 'Change role', { [YOURS]: PASSPHRASE_NEEDED }],
  ['a key', '#keys', press('Create key'), { Plan: 'enterprise', 'Requests a minute': '9223372036854775807', Expires: '2020-01-01T10:00' }, 'Create key',
    { Label: 'Type', 'Requests a minute': MANY, 'Requests a day': MANY, Expires: 'already', [YOURS]: PASSPHRASE_NEEDED }],
]

inOffice('a form of the office', (office, browser) => {
  before(async () => {
    await office.invite('Sam', 'staff')
    await office.invite('Olga', 'operator')
    await office.name('Olga', 'Cats', 'Dogs')
    await office.give({ name: 'Luna', categoryId: 1 }, { name: 'Rex', categoryId: 2 })
    const olga = office.client('Olga')
    const { animal } = await olga.get<{ animal: { version: string } }>('api/animals/2')
    await olga.send('PATCH', 'api/animals/2', { version: animal.version, reference: 'taken' })
  })

  const problemsOf = (page: Page) =>
    page.evaluate<[string, string][]>(`[...document.querySelectorAll('[aria-invalid="true"]')].map((control) => {
      const problem = document.getElementById(control.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '')
      return [control.labels?.[0]?.textContent ?? '', problem?.textContent ?? '']
    })`)
  const focused = (page: Page) => page.evaluate<string | undefined>('document.activeElement?.labels?.[0]?.textContent')

  for (const [title, hash, open, filled, button, problems] of CASES) {
    it(`marks each wrong field of ${title}, and focuses the first`, async () => {
      await using page = await office.open(browser, 'Olga', hash)
      await open(page)
      const labels = Object.keys(problems)
      const form = page.locator('form').filter({ has: page.getByLabel(labels[0] ?? '', { exact: true }) })
      for (const [label, text] of Object.entries(filled)) {
        const control = form.getByLabel(label, { exact: true })
        if (label === 'Plan') await control.selectOption(text)
        else await control.fill(text)
      }
      await form.getByRole('button', { name: button, exact: true }).click()
      await until('they are marked', async () => (await problemsOf(page)).length === labels.length)
      const told = await problemsOf(page)
      assert.deepEqual(
        told.map(([label]) => label),
        labels,
      )
      for (const [label, words] of told) {
        assert.match(words, /^[A-Z].*\.$/)
        assert.ok(words.includes(problems[label] ?? ''), words)
      }
      assert.equal(await focused(page), labels[0])
      await assertAccessible(page)
    })
  }

  it('marks each wrong field of the sign-in, and knows the name that signed in last', async () => {
    await using page = await openPage(browser, office.url, { expected: REPORTED })
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.deepEqual(await problemsOf(page), [
      ['Name', 'Type your name.'],
      ['Passphrase', PASSPHRASE_NEEDED],
    ])
    assert.equal(await focused(page), 'Name')
    await page.evaluate("localStorage.setItem('last name', 'Sam')")
    await page.reload()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Sam')
    assert.equal(await focused(page), 'Passphrase')
  })

  for (const [label, typed, offered] of [
    ['Time zone', 'berl', 'Europe/Berlin'],
    ['Language', 'ger', 'German'],
  ] as const) {
    it(`offers ${label.toLowerCase()}s while one types, and Enter takes one without saving`, async () => {
      await using page = await office.open(browser, 'Olga', '#settings')
      const control = page.getByLabel(label, { exact: true })
      await control.fill(typed)
      await page.keyboard.press('ArrowDown')
      await assertAccessible(page)
      await page.keyboard.press('Enter')
      assert.equal(await control.inputValue(), offered)
      assert.equal(await page.locator('.toast').count(), 0)
    })
  }
})
