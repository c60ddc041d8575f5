/** The list of animals, one animal, adding and the categories, with everything that can be open there. */
import type { Page } from 'playwright-core'
import type { AnimalPage, AnimalView } from '../../src/office/office-data.ts'
import { act, toast } from '../support/browser/office-browser.ts'
import { at, away, type Name, type Opener, refresh, type Screen, type Stage, screen, UNBROKEN } from './stage.ts'

const ROW = '.row:not(.head)'
/** What is not told of the list itself needs no long one. */
const FEW = '?category=3'

function list(query = '', name: Name = 'Mia'): Opener {
  return async (stage) => {
    const page = await stage.at(name, `#animals${query}`)
    await page.locator(`${ROW}, .empty:not([hidden])`).first().waitFor()
    return page
  }
}

function animal(id: string, name: Name = 'Mia'): Opener {
  return async (stage) => {
    const page = await stage.at(name, `#animal/${id}`)
    await page.locator('main h1', { hasText: /^(?!Animal$)/ }).waitFor()
    return page
  }
}

/** Sets the status of so many animals: each leaves a notice, which stays as under a pointer. */
async function leaveNotices(page: Page, animals: number): Promise<void> {
  const statuses = page.locator(`${ROW} .status`)
  for (let n = 0; n < animals; n += 1) {
    await statuses.nth(n).click()
    await page.getByRole('menuitemradio', { checked: false }).first().click()
    await page.locator('.toast').nth(n).waitFor()
    await hold(page)
  }
}

export async function hold(page: Page): Promise<void> {
  await page.locator('.toast').evaluateAll((all) => {
    for (const toast of all) toast.dispatchEvent(new Event('pointerenter'))
  })
}

/** A click on its button closes a menu that is open. */
function reopen(opener: string) {
  return {
    scope: '.menu',
    async again(page: Page) {
      await page.keyboard.press('Escape')
      await page.locator(opener).scrollIntoViewIfNeeded()
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      await page.locator(opener).click()
      await page.locator('.menu').waitFor()
    },
  }
}

async function tick(page: Page): Promise<void> {
  for (const at of [0, 1, 2]) await page.locator(`${ROW} input`).nth(at).check()
}

/** Somebody else changes an animal while it is on the screen. */
async function interfere({ office }: Stage, id: string): Promise<void> {
  const olga = office.client('Olga')
  const { animal: now } = await olga.get<AnimalView>(`api/animals/${id}`)
  const status = now.status === 'sold' ? 'pending' : 'sold'
  await olga.send('PATCH', `api/animals/${id}`, { version: now.version, status })
}

const LIST_SCREENS: readonly Screen[] = [
  screen('animals', list()),
  screen('animals as staff', list('', 'Stella')),
  screen('animals, removed, by name', list('?status=removed&sort=name')),
  screen('animals, nothing found', list(`?text=${'q'.repeat(180)}`)),
  screen('animals, skip link', list('?status=sold'), async (page) => {
    await page.locator('#skip').focus()
  }),
  screen('animals, menu of a status', list(FEW), undefined, reopen(`${ROW}:nth-child(3) .status`)),
  screen('animals, some ticked', list(FEW), tick),
  screen('dialog, change category', list(FEW), async (page) => {
    await tick(page)
    await act(page, 'ticked animals', 'Change category')
  }),
  screen('dialog, export what is found', list(`?text=${UNBROKEN}&status=available&category=3`), async (page) => {
    await act(page, '', 'Export what is found')
  }),
  screen('animals, notices', list(FEW), async (page) => {
    await leaveNotices(page, 4)
  }),
  screen('animals, notices while some are ticked', list(FEW), async (page) => {
    await leaveNotices(page, 2)
    await tick(page)
  }),
  screen('animals, changed by somebody else', list(FEW), async (page, stage) => {
    const row = page.locator(ROW).nth(4)
    await interfere(stage, (await row.getAttribute('data-id')) ?? '')
    await row.locator('.status').click()
    await page.getByRole('menuitemradio', { name: 'Available' }).click()
    await toast(page, 'so left alone').waitFor()
  }),
  screen('animals, a newer list', list(FEW), async (page, stage) => {
    await page.locator(`${ROW} .status`).nth(1).focus()
    await stage.office.give({ name: 'Newcomer', categoryId: 3 })
    await refresh(page)
    await page.getByRole('button', { name: 'Show the newer list' }).waitFor()
  }),
  away('animals, list of before', list(FEW), '**/api/animals?**', 'This is the list as it was at'),
  away('animals, not loaded', list(), '**/api/animals?**', 'The animals could not be loaded.', (page) =>
    page.locator('main select').first().selectOption('sold'),
  ),
]

const MENU_SCREENS: readonly Screen[] = [
  screen('animals, what can be done with all', list(FEW), undefined, {
    scope: '.menu',
    async again(page) {
      await page.keyboard.press('Escape')
      const filters = page.getByRole('button', { name: /^Filters/ })
      if ((await filters.isVisible()) && (await filters.getAttribute('aria-expanded')) === 'false')
        await filters.click()
      await page.getByRole('button', { name: 'Actions', exact: true }).click()
      await page.locator('.menu').waitFor()
    },
  }),
  screen('animals, the filters of a phone', list('?status=sold&category=3'), async (page) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Filters (2)' }).click()
  }),
]

const ONE_SCREENS: readonly Screen[] = [
  screen('animal', animal('3')),
  screen('animal with a history', animal('1')),
  screen('animal, removed', animal('2')),
  screen('animal, removed, as staff', animal('2', 'Stella')),
  screen('animal that is not there', animal('9'.repeat(18))),
  screen('animal, menu of its status', animal('1'), undefined, reopen('main .status')),
  screen('animal, problem of a field', animal('3'), async (page) => {
    await page.getByLabel('Category').fill(UNBROKEN)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('There is no category').waitFor()
  }),
  screen('animal, changed by somebody else', animal('4'), async (page, stage) => {
    const olga = stage.office.client('Olga')
    const { animal: now } = await olga.get<AnimalView>('api/animals/4')
    await olga.send('PATCH', 'api/animals/4', { version: now.version, name: `${UNBROKEN} of others` })
    await page.getByLabel('Name').fill(`${UNBROKEN} too`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else was quicker.').waitFor()
  }),
  screen('dialog, remove an animal', animal('1'), async (page) => {
    await act(page, '', 'Remove animal')
  }),
  screen('dialog, leave what is typed', animal('3'), async (page) => {
    await page.getByLabel('Name').fill('Something else')
    await page.evaluate('void (location.hash = "#add")')
  }),
]

const ADD_SCREENS: readonly Screen[] = [
  screen('add as staff', at('Stella', '#add')),
  screen('add, problem and namesakes', at('Mia', '#add'), async (page, stage) => {
    const { animals } = await stage.office.client('Mia').get<AnimalPage>('api/animals?text=luna')
    await page.getByLabel('Name').fill(animals.at(-1)?.name ?? '')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.locator('.namesakes:not([hidden])').waitFor()
  }),
  screen('add, what became of it', at('Mia', '#add'), async (page) => {
    const add = async (name: string, state: string) => {
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Category').fill('1')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.locator(`.entry.${state}`).first().waitFor()
    }
    await add(UNBROKEN, 'added')
    await add('Bella', 'added')
    await page.route('**/api/animals', (route) => route.abort())
    await add(`${UNBROKEN} lost`, 'lost')
    await hold(page)
  }),
  screen('add, categories that fit', at('Mia', '#add'), undefined, {
    scope: '.options',
    async again(page) {
      await page.keyboard.press('Escape')
      await page.getByLabel('Category').click()
      await page.getByRole('option').first().waitFor()
    },
  }),
]

const CATEGORY_SCREENS: readonly Screen[] = [
  screen('settings', at('Mia', '#settings'), 'Words for statuses'),
  screen('categories, a number is wrong', at('Mia', '#categories'), async (page) => {
    await page.locator('tbody tr').first().waitFor()
    await page.getByLabel('Its number').fill('seven')
    await page.getByRole('button', { name: 'Save names' }).click()
    await page.getByText('Type a whole number, or nothing.').waitFor()
  }),
  screen('dialog, a category is made', at('Mia', '#add'), async (page) => {
    await page.getByLabel('Name').fill('Kiwi')
    await page.getByLabel('Category').fill(UNBROKEN)
    await page.keyboard.press('Enter')
  }),
  screen('dialog, a new category', at('Mia', '#add'), async (page) => {
    await page.getByLabel('Name').fill('Kiwi')
    await page.getByLabel('Category').fill('4711')
    await page.keyboard.press('Enter')
  }),
  screen('dialog, adding a category', at('Mia', '#categories'), async (page) => {
    await page.getByRole('button', { name: 'Add category' }).click()
  }),
]

export const ANIMAL_SCREENS: readonly Screen[] = [
  ...LIST_SCREENS,
  ...MENU_SCREENS,
  ...ONE_SCREENS,
  ...ADD_SCREENS,
  ...CATEGORY_SCREENS,
]
