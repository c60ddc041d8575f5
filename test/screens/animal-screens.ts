/** The list of animals, one animal, adding and the categories, with everything that can be open there. */
import type { Page } from 'playwright-core'
import type { AnimalPage, AnimalView } from '../../src/office/office-data.ts'
import { act } from '../support/browser/office-browser.ts'
import { type Name, type Screen, type Stage, UNBROKEN } from './stage.ts'

const ROW = '.row:not(.head)'

async function list(stage: Stage, query = '', name: Name = 'Mia'): Promise<Page> {
  const page = await stage.at(name, `#animals${query}`)
  await page.locator(`${ROW}, .empty:not([hidden])`).first().waitFor()
  return page
}

async function animal(stage: Stage, id: string, name: Name = 'Mia'): Promise<Page> {
  const page = await stage.at(name, `#animal/${id}`)
  await page.locator('main h1', { hasText: /^(?!Animal$)/ }).waitFor()
  return page
}

/** Sets the status of so many animals: each leaves a notice, which stays as under a pointer. */
async function leaveNotices(page: Page, animals: number): Promise<void> {
  for (let n = 0; n < animals; n += 1) {
    await page
      .locator(`${ROW} .status`)
      .nth(3 + n)
      .click()
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

/** A menu closes when the window changes its size; otherwise a click on its button would close it. */
function reopen(page: Page, opener: string): () => Promise<void> {
  return async () => {
    await page.keyboard.press('Escape')
    await page.locator(opener).scrollIntoViewIfNeeded()
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    await page.locator(opener).click()
    await page.locator('.menu').waitFor()
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
  { name: 'animals', reach: async (stage) => ({ page: await list(stage) }) },
  { name: 'animals as staff', reach: async (stage) => ({ page: await list(stage, '', 'Stella') }) },
  {
    name: 'animals, removed, by name',
    reach: async (stage) => ({ page: await list(stage, '?status=removed&sort=name') }),
  },
  { name: 'animals, nothing found', reach: async (stage) => ({ page: await list(stage, `?text=${'q'.repeat(180)}`) }) },
  {
    name: 'animals, the nearest names',
    reach: async (stage) => ({ page: await list(stage, `?text=${UNBROKEN}y`) }),
  },
  {
    name: 'animals, skip link',
    async reach(stage) {
      const page = await list(stage, '?status=sold')
      await page.locator('#skip').focus()
      return { page }
    },
  },
  {
    name: 'animals, menu of a status',
    async reach(stage) {
      const page = await list(stage)
      return { page, again: reopen(page, `${ROW}:nth-child(3) .status`), scope: '.menu' }
    },
  },
  {
    name: 'animals, some ticked',
    async reach(stage) {
      const page = await list(stage)
      await tick(page)
      return { page }
    },
  },
  {
    name: 'dialog, export what is found',
    async reach(stage) {
      const page = await list(stage, `?text=${UNBROKEN}&status=available&category=3`)
      await act(page, '', 'Export what is found')
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
  {
    name: 'animals, notices',
    async reach(stage) {
      const page = await list(stage)
      await leaveNotices(page, 4)
      return { page }
    },
  },
  {
    name: 'animals, notices while some are ticked',
    async reach(stage) {
      const page = await list(stage)
      await leaveNotices(page, 2)
      await tick(page)
      return { page }
    },
  },
  {
    name: 'animals, changed by somebody else',
    async reach(stage) {
      const page = await list(stage)
      const row = page.locator(ROW).nth(4)
      await interfere(stage, (await row.getAttribute('data-id')) ?? '')
      await row.locator('.status').click()
      await page.getByRole('menuitemradio', { name: 'Available' }).click()
      await row.locator('.news:not([hidden])').waitFor()
      return { page }
    },
  },
  {
    name: 'animals, a newer list',
    async reach(stage) {
      const page = await list(stage)
      await page.locator(`${ROW} .status`).nth(1).focus()
      await stage.office.give({ name: 'Newcomer', categoryId: 1 })
      await page.evaluate('void document.dispatchEvent(new Event("visibilitychange"))')
      await page.getByRole('button', { name: 'Show the newer list' }).waitFor()
      return { page }
    },
  },
  {
    name: 'animals, list of before',
    async reach(stage) {
      const page = await list(stage)
      await page.route('**/api/animals?**', (route) => route.abort())
      await page.evaluate('void document.dispatchEvent(new Event("visibilitychange"))')
      await page.getByText('This is the list as it was at').waitFor()
      return { page }
    },
  },
  {
    name: 'animals, not loaded',
    async reach(stage) {
      const page = await list(stage)
      await page.route('**/api/animals?**', (route) => route.abort())
      await page.locator('main select').first().selectOption('sold')
      await page.getByText('The animals could not be loaded.').first().waitFor()
      return { page }
    },
  },
]

const MENU_SCREENS: readonly Screen[] = [
  {
    name: 'animals, what can be done with all',
    async reach(stage) {
      const page = await list(stage)
      const again = async () => {
        await page.keyboard.press('Escape')
        const filters = page.getByRole('button', { name: /^Filters/ })
        if ((await filters.isVisible()) && (await filters.getAttribute('aria-expanded')) === 'false')
          await filters.click()
        await page.getByRole('button', { name: 'Actions', exact: true }).click()
        await page.locator('.menu').waitFor()
      }
      return { page, again, scope: '.menu' }
    },
  },
  {
    name: 'animals, the filters of a phone',
    async reach(stage) {
      const page = await list(stage, '?status=sold&category=3')
      await page.setViewportSize({ width: 390, height: 844 })
      await page.getByRole('button', { name: 'Filters (2)' }).click()
      return { page }
    },
  },
]

const ONE_SCREENS: readonly Screen[] = [
  { name: 'animal', reach: async (stage) => ({ page: await animal(stage, '3') }) },
  { name: 'animal with a history', reach: async (stage) => ({ page: await animal(stage, '1') }) },
  { name: 'animal, removed', reach: async (stage) => ({ page: await animal(stage, '2') }) },
  { name: 'animal, removed, as staff', reach: async (stage) => ({ page: await animal(stage, '2', 'Stella') }) },
  { name: 'animal that is not there', reach: async (stage) => ({ page: await animal(stage, '9'.repeat(18)) }) },
  {
    name: 'animal, menu of its status',
    async reach(stage) {
      const page = await animal(stage, '1')
      return { page, again: reopen(page, 'main .status'), scope: '.menu' }
    },
  },
  {
    name: 'animal, problem of a field',
    async reach(stage) {
      const page = await animal(stage, '3')
      await page.getByLabel('Category').fill(UNBROKEN)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('There is no category').waitFor()
      return { page }
    },
  },
  {
    name: 'animal, changed by somebody else',
    async reach(stage) {
      const page = await animal(stage, '4')
      const olga = stage.office.client('Olga')
      const { animal: now } = await olga.get<AnimalView>('api/animals/4')
      await olga.send('PATCH', 'api/animals/4', { version: now.version, name: `${UNBROKEN} of others` })
      await page.getByLabel('Name').fill(`${UNBROKEN} too`)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Somebody else was quicker.').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, remove an animal',
    async reach(stage) {
      const page = await animal(stage, '1')
      await act(page, '', 'Remove animal')
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, leave what is typed',
    async reach(stage) {
      const page = await animal(stage, '3')
      await page.getByLabel('Name').fill('Something else')
      await page.evaluate('void (location.hash = "#add")')
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
]

const ADD_SCREENS: readonly Screen[] = [
  { name: 'add as staff', reach: async (stage) => ({ page: await stage.at('Stella', '#add') }) },
  {
    name: 'add, problem and namesakes',
    async reach(stage) {
      const page = await stage.at('Mia', '#add')
      const { animals } = await stage.office.client('Mia').get<AnimalPage>('api/animals?text=luna')
      await page.getByLabel('Name').fill(animals.at(-1)?.name ?? '')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.locator('.namesakes:not([hidden])').waitFor()
      return { page }
    },
  },
  {
    name: 'add, what became of it',
    async reach(stage) {
      const page = await stage.at('Mia', '#add')
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
      return { page }
    },
  },
  {
    name: 'add, categories that fit',
    async reach(stage) {
      const page = await stage.at('Mia', '#add')
      const again = async () => {
        await page.keyboard.press('Escape')
        await page.getByLabel('Category').click()
        await page.getByRole('option').first().waitFor()
      }
      return { page, again, scope: '.options' }
    },
  },
]

const CATEGORY_SCREENS: readonly Screen[] = [
  {
    name: 'categories, a number is missing',
    async reach(stage) {
      const page = await stage.at('Mia', '#categories')
      await page.locator('tbody tr').first().waitFor()
      await page.getByLabel('Its name').fill('Birds')
      await page.getByRole('button', { name: 'Save names' }).click()
      await page.getByText('Type the number of the category').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, a new category',
    async reach(stage) {
      const page = await stage.at('Mia', '#add')
      await page.getByLabel('Name').fill('Kiwi')
      await page.getByLabel('Category').fill('4711')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, undo a merge',
    async reach(stage) {
      const mia = stage.office.client('Mia')
      await stage.office.give({ name: 'Alone in its category', categoryId: 4712 })
      await mia.send('POST', 'api/categories/merge', { from: '4712', into: '1' })
      const page = await stage.at('Mia', '#categories')
      await page
        .getByRole('button', { name: /^Undo merge of/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
  {
    name: 'dialog, merging a category',
    async reach(stage) {
      const page = await stage.at('Mia', '#categories')
      await page
        .getByRole('button', { name: /^Merge category/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
]

export const ANIMAL_SCREENS: readonly Screen[] = [
  ...LIST_SCREENS,
  ...MENU_SCREENS,
  ...ONE_SCREENS,
  ...ADD_SCREENS,
  ...CATEGORY_SCREENS,
]
