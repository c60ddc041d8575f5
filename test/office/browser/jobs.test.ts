/** The office's most frequent jobs with their number of clicks (or choices) and typed words, which must not grow. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage } from '../../support/browser/browser.ts'
import { PASSPHRASE } from '../../support/office-client.ts'
import { until } from '../../support/until.ts'
import { answered, type Client, go, inOffice, REPORTED, statusOf, toast } from './office-browser.ts'

class Hand {
  #clicks = 0
  #words = 0

  act<T>(work: Promise<T>): Promise<T> {
    this.#clicks += 1
    return work
  }

  type(page: Page, word: string): Promise<void> {
    this.#words += 1
    return page.keyboard.type(word)
  }

  assertDid(clicks: number, words: number): void {
    assert.deepEqual({ clicks: this.#clicks, words: this.#words }, { clicks, words })
  }
}

inOffice('a job in the office', (office, browser) => {
  let mia: Client

  before(async () => {
    await office.invite('Sam', 'staff')
    await office.invite('Mia', 'manager')
    await office.invite('Olga', 'operator')
    mia = office.client('Mia')
    await office.name('Mia', 'Cats', 'Dogs')
    await mia.send('PUT', 'api/words', { sold: 'Adopted' })
  })

  const menu = async (hand: Hand, page: Page, of: string, word: string) => {
    await hand.act(
      page
        .getByRole('button', { name: of === '' ? 'Actions' : `Actions, ${of}` })
        .first()
        .click(),
    )
    await hand.act(page.getByRole('menuitem', { name: word, exact: true }).click())
  }

  it('takes 1 click and 2 words for the first sign-in', async () => {
    await using page = await openPage(browser, await office.link('Nora', 'staff'), { expected: REPORTED })
    const hand = new Hand()
    await page.getByRole('heading', { name: 'Welcome, Nora' }).waitFor()
    await hand.type(page, PASSPHRASE)
    await page.keyboard.press('Tab')
    await hand.type(page, PASSPHRASE)
    await hand.act(page.getByRole('button', { name: 'Start' }).click())
    await page.getByRole('heading', { name: 'Animals' }).waitFor()
    hand.assertDid(1, 2)
  })

  it('takes 3 clicks and a word to set an animal to adopted, and 1 click to undo', async () => {
    const [id = ''] = await office.give({ name: 'Luna', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Sam')
    const hand = new Hand()
    await hand.act(page.getByRole('searchbox').click())
    await hand.type(page, 'luna')
    await until('one is found', async () => (await page.locator('.row:not(.head)').count()) === 1)
    await hand.act(page.locator('.row:not(.head) .status').click())
    await hand.act(page.getByRole('menuitemradio', { name: 'Adopted' }).click())
    await toast(page, `Luna (${id}) was set to Adopted.`).waitFor()
    assert.equal(await statusOf(mia, id), 'sold')
    hand.assertDid(3, 1)
    await hand.act(page.getByRole('button', { name: 'Undo' }).click())
    await toast(page, 'was restored to the previous state').waitFor()
    assert.equal(await statusOf(mia, id), 'available')
    hand.assertDid(4, 1)
  })

  it('takes a name and Enter for each of ten animals, and the category once', async () => {
    let names: Promise<void> | undefined
    await using page = await office.open(browser, 'Sam', '#add', {
      async prepare(page) {
        names = answered(page, /api\/categories$/)
      },
    })
    await names
    const hand = new Hand()
    await page.getByLabel('Name').waitFor()
    for (let n = 1; n <= 10; n += 1) {
      await hand.type(page, `Kitten ${n}`)
      if (n === 1) {
        await page.keyboard.press('Tab')
        await hand.type(page, 'ca')
      }
      await hand.act(page.keyboard.press('Enter'))
    }
    await until('all are added', async () => (await page.getByText(/^Added as number/).count()) === 10)
    hand.assertDid(10, 11)
  })

  it('takes 3 clicks and a word to correct a category', async () => {
    await office.give({ name: 'Waffles', categoryId: 2 })
    await using page = await office.open(browser, 'Sam')
    const hand = new Hand()
    await hand.act(go(page, page.getByRole('link', { name: /^Waffles/ })))
    await hand.act(page.getByLabel('Category').click())
    await page.keyboard.press('Control+a')
    await hand.type(page, 'ca')
    await page.keyboard.press('Escape')
    await hand.act(page.getByRole('button', { name: 'Save' }).click())
    await toast(page, 'was saved').waitFor()
    await page.getByText(/Sam.* changed the category from Dogs to Cats/).waitFor()
    await page.getByText(/^Added through the API with the key /).waitFor()
    hand.assertDid(3, 1)
  })

  it('takes 2 actions to confirm a weekly file, 2 to apply the next, and 1 to undo', async () => {
    await using page = await office.open(browser, 'Mia', '#import')
    const file = page.getByLabel('File of animals')
    const csv = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    const others = Array.from({ length: 11 }, (_, n) => `Bo ${n},1,${n === 0 ? 'sold' : 'available'},X${n}\n`).join('')
    const list = (status: string) => `name,categoryId,status,Chip\nMo,2,${status},Y1\n${others}`
    const first = new Hand()
    await first.act(file.setInputFiles(csv('week 1.csv', list('available'))))
    await page.locator('.verdict-words div', { hasText: 'Added12' }).waitFor()
    await first.act(page.getByRole('button', { name: 'Add 12', exact: true }).click())
    await page.locator('.good', { hasText: '12 added.' }).waitFor()
    first.assertDid(2, 0)
    const next = new Hand()
    await next.act(file.setInputFiles(csv('week 2.csv', list('sold'))))
    await page.locator('.verdict-words div', { hasText: 'Changed' }).waitFor()
    await page.getByRole('cell', { name: 'Available → Adopted' }).waitFor()
    await next.act(page.getByRole('button', { name: 'Update 1', exact: true }).click())
    await page.locator('.good', { hasText: '1 changed.' }).waitFor()
    next.assertDid(2, 0)
    const back = new Hand()
    await back.act(page.locator('.toast').first().getByRole('button', { name: 'Undo' }).click())
    await toast(page, '1 restored as before').waitFor()
    back.assertDid(1, 0)
  })

  it('takes 2 clicks and 2 words to invite, 3 and 1 for another link, and 3 to revoke', async () => {
    await using page = await office.open(browser, 'Olga', '#people')
    const submit = (word: string) => page.getByRole('dialog').getByRole('button', { name: word })
    const invite = new Hand()
    await invite.act(page.getByRole('button', { name: 'Invite' }).click())
    await invite.type(page, 'Lena')
    await page.getByRole('dialog').getByLabel('Your passphrase').focus()
    await invite.type(page, PASSPHRASE)
    await invite.act(submit('Invite person').click())
    await page.getByRole('dialog').getByText('Send Lena this link.').waitFor()
    invite.assertDid(2, 2)
    await page.getByRole('button', { name: 'Done' }).click()
    const link = new Hand()
    await menu(link, page, 'Lena', 'Create new link')
    await page.getByRole('dialog').getByLabel('Your passphrase').focus()
    await link.type(page, PASSPHRASE)
    await link.act(submit('Create new link').click())
    await page.getByRole('dialog').getByText('Send Lena this link.').waitFor()
    link.assertDid(3, 1)
    await page.getByRole('button', { name: 'Done' }).click()
    const revoke = new Hand()
    await menu(revoke, page, 'Lena', 'Revoke access')
    await revoke.act(submit('Revoke access').click())
    await toast(page, 'Access of Lena was revoked.').waitFor()
    await page.locator('tbody tr', { hasText: 'Lena' }).getByText('revoked').waitFor()
    revoke.assertDid(3, 0)
  })

  it('takes 2 clicks and 2 words to create a key, 4 to change its plan, 3 and a word to revoke', async () => {
    await using page = await office.open(browser, 'Olga', '#keys')
    const submit = (word: string) => page.getByRole('dialog').getByRole('button', { name: word })
    const issue = new Hand()
    await issue.act(page.getByRole('button', { name: 'Create key' }).click())
    await issue.type(page, 'Harbour')
    await page.getByRole('dialog').getByLabel('Your passphrase').focus()
    await issue.type(page, PASSPHRASE)
    await issue.act(submit('Create key').click())
    await page.getByText('It is shown only once').waitFor()
    issue.assertDid(2, 2)
    await page.getByRole('button', { name: 'Done' }).click()
    const plan = new Hand()
    await menu(plan, page, 'Harbour', 'Edit key')
    await plan.act(page.getByRole('dialog').getByLabel('Plan').selectOption('pro'))
    await plan.act(submit('Edit key').click())
    await toast(page, 'was changed').waitFor()
    plan.assertDid(4, 0)
    const revoke = new Hand()
    await menu(revoke, page, 'Harbour', 'Revoke key')
    await page.getByRole('dialog').getByLabel('Type its label').focus()
    await revoke.type(page, 'Harbour')
    await revoke.act(submit('Revoke key').click())
    await toast(page, 'was revoked').waitFor()
    revoke.assertDid(3, 1)
  })

  it('takes 3 clicks to print a cage card', async () => {
    await office.give({ name: 'Caged', categoryId: 2, status: 'available' })
    await using page = await office.open(browser, 'Sam', '', {
      prepare: async (page) => void (await page.addInitScript('window.print = () => { window.printed = true }')),
    })
    await page.getByRole('link', { name: /^Caged/ }).waitFor()
    const hand = new Hand()
    await hand.act(go(page, page.getByRole('link', { name: /^Caged/ })))
    await page.locator('.cage', { hasText: 'Caged' }).waitFor({ state: 'attached' })
    await menu(hand, page, '', 'Print cage card')
    assert.equal(await page.evaluate('window.printed'), true)
    hand.assertDid(3, 0)
  })
})
