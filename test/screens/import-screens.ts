/** Importing, with everything that can be chosen there. */
import type { Page } from 'playwright-core'
import { hold } from './animal-screens.ts'
import { LONG_NAME, type Name, type Screen, type Stage, UNBROKEN } from './stage.ts'

const FILE = `name,categoryId,status\nImported one,1,sold\n${UNBROKEN},horse,\nLuna,3,available\n${LONG_NAME},4,pending\n`

export async function table(stage: Stage, hash: string, name: Name = 'Olga'): Promise<Page> {
  const page = await stage.at(name, hash)
  await page.locator('tbody tr').first().waitFor()
  return page
}

async function choose(page: Page, name: string, text: string | Buffer): Promise<void> {
  await page.getByLabel('File of animals').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
}

export const IMPORT_SCREENS: readonly Screen[] = [
  {
    name: 'import, a file is looked at',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await choose(page, `${UNBROKEN.slice(0, 90)}.csv`, FILE)
      await page.getByRole('button', { name: /^Import \d/ }).click()
      await page.getByText('Tick this, or correct the rows').waitFor()
      await page.getByLabel(/^Leave the 1 bad row/).check()
      await page.getByRole('button', { name: /^Import \d/ }).click()
      await page.getByText('Choose one of them.').waitFor()
      return { page }
    },
  },
  {
    name: 'import, columns and words to choose',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      const words = `Rex,dog,${UNBROKEN.slice(0, 90)}\nMia,${LONG_NAME},Adopted\nTom,,\n`
      await choose(page, 'list.csv', `Pet,Species,${UNBROKEN}\n${words}`)
      await page.getByLabel('Name', { exact: true }).selectOption('Pet')
      await page.getByRole('cell', { name: 'Rex' }).waitFor()
      await page.getByLabel('Status').selectOption(UNBROKEN)
      await page.getByLabel(/Adopted/).waitFor()
      return { page }
    },
  },
  {
    name: 'import, a file that updates',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await choose(page, 'list.csv', `name,categoryId,${UNBROKEN.slice(0, 60)}\n${LONG_NAME},4,x\nLuna,3,y\n`)
      await page.getByText('How the file is understood').click()
      await page.getByLabel('Reference').selectOption(UNBROKEN.slice(0, 60))
      await page.getByText(/^\d new/).waitFor()
      return { page }
    },
  },
  {
    name: 'import, a file that cannot be read',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await choose(page, 'picture.csv', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0xff, 0xfe]))
      await page.getByRole('heading', { name: 'picture.csv' }).waitFor()
      return { page }
    },
  },
  {
    name: 'import, on its way',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await page.route('**/api/uploads', () => {})
      await choose(page, `${UNBROKEN}.csv`, FILE)
      await page.getByText('Reading').waitFor()
      return { page }
    },
  },
  {
    name: 'import, done',
    async reach(stage) {
      const page = await stage.at('Mia', '#import')
      await choose(page, `${UNBROKEN.slice(0, 90)}.csv`, `name,categoryId,status\n${LONG_NAME} imported,4,pending\n`)
      await page.getByRole('button', { name: 'Import 1 animal' }).click()
      await page.locator('.good').waitFor()
      await page.locator('tbody tr').first().waitFor()
      await hold(page)
      return { page }
    },
  },
  {
    name: 'dialog, undo an import',
    async reach(stage) {
      const page = await table(stage, '#import', 'Mia')
      await page
        .getByRole('button', { name: /^Undo import/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
      return { page }
    },
  },
]
