/** The forms of the office in a real browser: each problem stands at its field, all together. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, openPage } from '../../support/browser/browser.ts'
import { until } from '../../support/until.ts'
import { act, inOffice, REPORTED } from './office-browser.ts'

const MANY = 'Type a whole number from 1 to 9,007,199,254,740,991.'
const NAME = 'Type a name.'
const CATEGORY = 'Choose a category, or type its number.'
const PASSPHRASE_NEEDED = 'Type your passphrase.'
const WRONG = 'The passphrase is wrong. Nothing was changed.'

/** A form with what is filled in and sent, and each wrong field with a part of its problem. */
interface Case {
  readonly title: string
  readonly hash: string
  readonly open?: (page: Page) => Promise<void>
  readonly filled?: Readonly<Record<string, string>>
  readonly button: string
  readonly problems: Readonly<Record<string, string>>
}

const press = (name: string) => (page: Page) => page.locator('main').getByRole('button', { name, exact: true }).click()

const CASES: readonly Case[] = [
  { title: 'adding an animal', hash: '#add', button: 'Add', problems: { Name: NAME, Category: CATEGORY } },
  {
    title: 'an animal',
    hash: '#animal/1',
    filled: { Name: ' ', Category: '' },
    button: 'Save',
    problems: { Name: NAME, Category: CATEGORY },
  },
  {
    title: 'an animal with the reference of another',
    hash: '#animal/1',
    filled: { Reference: 'taken' },
    button: 'Save',
    problems: { Reference: 'Nothing was changed: the reference taken is that of animal 2.' },
  },
  {
    title: 'the category of several',
    hash: '#animals',
    async open(page) {
      await page.getByLabel('Select all on this page').check()
      await act(page, 'selected animals', 'Change category')
    },
    button: 'Change category',
    problems: { Category: CATEGORY },
  },
  {
    title: 'a name',
    hash: '#account',
    filled: { 'Your name': '' },
    button: 'Change name',
    problems: { 'Your name': 'Type your name.' },
  },
  {
    title: 'a passphrase',
    hash: '#account',
    button: 'Change passphrase',
    problems: { 'Current passphrase': 'Type your current passphrase.', 'New passphrase': 'Type a new passphrase.' },
  },
  {
    title: 'the shelter',
    hash: '#settings',
    filled: { 'Email address': 'nobody', 'Time zone': 'Nowhere' },
    button: 'Save',
    problems: { 'Email address': '', 'Time zone': 'such as Europe/Berlin' },
  },
  {
    title: 'the public page',
    hash: '#settings',
    filled: { 'Web address': 'here', Language: 'Klingon', Statuses: 'gone' },
    button: 'Save',
    problems: {
      'Web address': 'must begin with https:// or http://',
      Language: 'must be one of en, de, fr,',
      Statuses: 'must be one or more of available, pending, sold',
    },
  },
  {
    title: 'the words for statuses',
    hash: '#settings',
    filled: { 'Word for sold': 'Pending' },
    button: 'Save',
    problems: { 'Word for sold': 'it is taken for pending' },
  },
  {
    title: 'a new category',
    hash: '#categories',
    open: press('Add category'),
    filled: { Number: 'seven' },
    button: 'Add category',
    problems: { Number: 'Type a whole number, or leave this empty.', Name: NAME },
  },
  {
    title: 'a category’s name',
    hash: '#categories',
    open: (page) => page.getByRole('button', { name: 'Edit Cats' }).click(),
    filled: { Name: 'dogs' },
    button: 'Save name',
    problems: { Name: 'because category 2 is Dogs' },
  },
  {
    title: 'an invitation',
    hash: '#people',
    open: press('Invite person'),
    button: 'Invite person',
    problems: { Name: NAME, 'Your passphrase': PASSPHRASE_NEEDED },
  },
  {
    title: 'an invitation with a wrong passphrase',
    hash: '#people',
    open: press('Invite person'),
    filled: { Name: 'Lena', 'Your passphrase': 'not the passphrase' },
    button: 'Invite person',
    problems: { 'Your passphrase': WRONG },
  },
  {
    title: 'a role',
    hash: '#people',
    open: (page) => act(page, 'Sam', 'Change role'),
    button: 'Change role',
    problems: { 'Your passphrase': PASSPHRASE_NEEDED },
  },
  {
    title: 'a key',
    hash: '#keys',
    open: press('Create key'),
    filled: { Plan: 'enterprise', 'Requests a minute': '9223372036854775807', Expires: '2020-01-01T10:00' },
    button: 'Create key',
    problems: {
      Label: 'Type who uses the key.',
      'Requests a minute': MANY,
      'Requests a day': MANY,
      Expires: 'The key would have expired already; give a later time.',
      'Your passphrase': PASSPHRASE_NEEDED,
    },
  },
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
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLInputElement>('[aria-invalid="true"]')].map((control): [string, string] => {
        const problem = document.getElementById(control.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '')
        return [control.labels?.[0]?.textContent ?? '', problem?.textContent ?? '']
      }),
    )
  const focused = (page: Page) =>
    page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent)

  for (const { title, hash, open, filled = {}, button, problems } of CASES) {
    it(`marks each wrong field of ${title}, and focuses the first`, async () => {
      await using page = await office.open(browser, 'Olga', hash)
      await open?.(page)
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
