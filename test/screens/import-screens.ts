/** Importing, with everything that can be chosen there. */
import type { Page } from 'playwright-core'
import { hold } from './animal-screens.ts'
import { at, LONG_NAME, type Name, type Opener, type Screen, screen, UNBROKEN } from './stage.ts'

const FILE = `name,categoryId,status\nImported one,1,sold\n${UNBROKEN},horse,\nLuna,3,available\n${LONG_NAME},4,pending\n`

export function table(hash: string, name: Name = 'Olga'): Opener {
  return async (stage) => {
    const page = await stage.at(name, hash)
    await page.locator('tbody tr').first().waitFor()
    return page
  }
}

async function choose(page: Page, name: string, text: string | Buffer): Promise<void> {
  await page.getByLabel('File of animals').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
}

export const IMPORT_SCREENS: readonly Screen[] = [
  screen('import, a file is looked at', at('Mia', '#import'), async (page) => {
    await choose(page, `${UNBROKEN.slice(0, 90)}.csv`, FILE)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Tick this, or correct the rows').waitFor()
    await page.getByLabel(/^Leave the 1 bad row/).check()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Choose one of them.').waitFor()
  }),
  screen('import, columns and words to choose', at('Mia', '#import'), async (page) => {
    const words = `Rex,dog,${UNBROKEN.slice(0, 90)}\nMia,${LONG_NAME},Adopted\nTom,,\n`
    await choose(page, 'list.csv', `Pet,Species,${UNBROKEN}\n${words}`)
    await page.getByLabel('Name', { exact: true }).selectOption('Pet')
    await page.getByLabel('Status').selectOption(UNBROKEN)
    await page.getByLabel(/Adopted/).waitFor()
  }),
  screen('import, a file that updates', at('Mia', '#import'), async (page) => {
    await choose(page, 'list.csv', `name,categoryId,${UNBROKEN.slice(0, 60)}\n${LONG_NAME},4,x\nLuna,3,y\n`)
    await page.getByText('How the file is understood').click()
    await page.getByLabel('Reference').selectOption(UNBROKEN.slice(0, 60))
    await page.locator('.verdict-words div', { hasText: 'Added' }).waitFor()
  }),
  screen('import, a file that cannot be read', at('Mia', '#import'), async (page) => {
    await choose(page, 'picture.csv', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0xff, 0xfe]))
    await page.getByRole('heading', { name: 'picture.csv' }).waitFor()
  }),
  screen('import, on its way', at('Mia', '#import'), async (page) => {
    await page.route('**/api/uploads', () => {})
    await choose(page, `${UNBROKEN}.csv`, FILE)
    await page.getByText('Reading').waitFor()
  }),
  screen('import, done', at('Mia', '#import'), async (page) => {
    await choose(page, `${UNBROKEN.slice(0, 90)}.csv`, `name,categoryId,status\n${LONG_NAME} imported,4,pending\n`)
    await page.getByRole('button', { name: 'Import 1 animal' }).click()
    await page.locator('.good').waitFor()
    await page.locator('tbody tr').first().waitFor()
    await hold(page)
  }),
  screen('dialog, undo an import', table('#import', 'Mia'), async (page) => {
    const undo = page.getByRole('button', { name: /^Undo import/ })
    await undo.first().click()
  }),
]
