/** The screens to edit and to add an animal, in a real browser. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Animal, AnimalPage, AnimalView } from '../../../src/office/office-data.ts'
import { until } from '../../support/until.ts'
import { act, type Client, go, holdAnswers, inOffice, toast } from './office-browser.ts'

inOffice('the screen of one animal, and Add', (office, browser) => {
  let anna: Client

  before(async () => {
    await office.invite('Sam', 'staff')
    await office.invite('Anna', 'manager')
    anna = office.client('Anna')
    await office.name('Anna', 'Cat', 'Dog')
  })

  const view = (id: string) => anna.get<AnimalView>(`api/animals/${id}`)
  const named = async (name: string) =>
    (await anna.get<AnimalPage>(`api/animals?text=${encodeURIComponent(name)}`)).animals

  it('shows both values if someone else was faster, keeps the text, and lets people save again', async () => {
    const [id = ''] = await office.give({ name: 'Twice', categoryId: 1 })
    await using page = await office.open(browser, 'Sam', `#animal/${id}`)
    await page.getByLabel('Name').fill('Mine')
    const { animal } = await view(id)
    await anna.send('PATCH', `api/animals/${id}`, { version: animal.version, name: 'Theirs' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText(/Someone else changed this animal first.*Anna.* changed the name.*the name is now .*Theirs/)
      .waitFor()
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Theirs')
    assert.equal(await page.getByLabel('Name').inputValue(), 'Mine')
    assert.equal((await view(id)).animal.name, 'Theirs')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Mine' }).waitFor()
    assert.equal((await view(id)).animal.name, 'Mine')
  })

  it('saves, finds and undoes a reference, and refuses that of another animal', async () => {
    const [id = '', other = ''] = await office.give(
      { name: 'Numbered', categoryId: 1 },
      { name: 'Other', categoryId: 1 },
    )
    await using page = await office.open(browser, 'Sam', `#animal/${id}`)
    await page.getByLabel('Reference').fill(' LB-17 ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Number ${id}, Cat, reference LB-17`).waitFor()
    await page.getByText(/Sam.* set the reference to .*LB-17/).waitFor()
    await go(page, `#animal/${other}`)
    await page.getByLabel('Reference').fill('lb-17')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Nothing was changed: the reference lb-17 is that of animal ${id}.`).waitFor()
    assert.equal(await page.getByLabel('Reference').inputValue(), 'lb-17', 'what was typed stays')
    assert.equal((await view(other)).reference, null)
    await page.getByRole('button', { name: 'Discard' }).click()
    await go(page, '#animals?text=lb-17')
    await go(page, page.getByRole('link', { name: 'Numbered' }))
    await page.getByRole('button', { name: 'Undo the last change' }).click()
    await page.getByText(/Sam.* removed the reference .*LB-17/).waitFor()
    assert.equal((await view(id)).reference, null)
  })

  it('keeps text typed during a save or load, and ignores outdated responses', async () => {
    const [id = ''] = await office.give({ name: 'Slow', categoryId: 1 })
    await using page = await office.open(browser, 'Sam', `#animal/${id}`)
    await page.getByRole('heading', { name: 'Slow' }).waitFor()
    const [looked, saved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(`**/api/animals/${id}`, async (route) => {
      const request = route.request()
      const response = await route.fetch()
      if (request.headers()['x-unattended'] === '1') await looked.promise
      if (request.method() === 'PATCH') await saved.promise
      await route.fulfill({ response })
    })
    const look = page.waitForResponse((response) => response.request().headers()['x-unattended'] === '1')
    await page.evaluate('void document.dispatchEvent(new Event("visibilitychange"))')
    await page.getByLabel('Name').fill('Slow I')
    const patch = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    await patch
    await page.getByLabel('Name').fill('Slow II')
    saved.resolve()
    await page.getByRole('heading', { name: 'Slow I', exact: true }).waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Slow II')
    await page.getByRole('button', { name: 'Discard' }).click()
    looked.resolve()
    await (await look).finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
    await page.getByRole('heading', { name: 'Slow I', exact: true }).waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Slow I')
  })

  it('runs an act after the one before, without a conflict', async () => {
    const [id = ''] = await office.give({ name: 'Busy', categoryId: 1 })
    await using page = await office.open(browser, 'Sam', `#animal/${id}`)
    await page.getByRole('heading', { name: 'Busy' }).waitFor()
    const act = await holdAnswers(page, '**/api/animals/acts', 'POST')
    const look = await holdAnswers(page, `**/api/animals/${id}`)
    const save = async (name: string) => {
      await page.getByLabel('Name').fill(name)
      await page.getByRole('button', { name: 'Save' }).click()
    }
    await page.getByRole('button', { name: /status of .Busy/ }).click()
    await page.getByRole('menuitemradio', { name: 'Pending' }).click()
    await save('Busy I')
    await act()
    await page.locator('.toast').getByText('Busy I').waitFor()
    await save('Busy II')
    await page.locator('.toast').getByText('Busy II').waitFor()
    await look()
    await page.getByRole('heading', { name: 'Busy II' }).waitFor()
    const { animal } = await view(id)
    assert.deepEqual([animal.name, animal.status], ['Busy II', 'pending'])
    assert.equal(await page.getByText('Someone else').count(), 0)
  })

  it('keeps what is typed or sent while a category is being checked', async () => {
    const [id = ''] = await office.give({ name: 'Asked', categoryId: 1 })
    await using page = await office.open(browser, 'Sam', `#animal/${id}`)
    await page.getByRole('heading', { name: 'Asked' }).waitFor()
    const typeMeanwhile = async (first: string, category: string, next: string) => {
      const look = await holdAnswers(page, `**/api/animals?category=${category}&*`)
      await page.getByLabel('Category').fill(category)
      await page.getByLabel('Name').fill(first)
      await page.keyboard.press('Enter')
      await page.getByLabel('Name').fill(next)
      return look
    }
    const agree = () => page.getByRole('button', { name: 'Use new category' }).click()
    await (await typeMeanwhile('Asked I', '41', 'Asked II'))()
    await agree()
    await page.getByRole('heading', { name: 'Asked I', exact: true }).waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Asked II')
    await page.getByRole('button', { name: 'Discard' }).click()

    await go(page, '#add')
    await (await typeMeanwhile('First', '42', 'Second'))()
    await agree()
    await page.getByRole('link', { name: 'First' }).waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Second')
    const both = await typeMeanwhile('Third', '43', 'Fourth')
    await page.keyboard.press('Enter')
    await both()
    await agree()
    await page.getByRole('link', { name: 'Fourth' }).waitFor()
    assert.deepEqual([(await named('Third')).length, (await named('Fourth')).length], [1, 1])
    const look = await typeMeanwhile('Fifth', '44', 'Sixth')
    await go(page, page.getByRole('link', { name: 'Journal' }))
    await look()
    assert.equal(await page.getByRole('dialog').count(), 0)
    await go(page, page.getByRole('link', { name: 'Add', exact: true }))
    assert.equal(await page.getByLabel('Name').inputValue(), 'Sixth')
    assert.equal((await named('Fifth')).length, 0)
  })

  it('removes an animal after a confirmation, says how long it is restorable, and restores it', async () => {
    const [id = ''] = await office.give({ name: 'Removed one', categoryId: 1 })
    await using page = await office.open(browser, 'Sam', `#animal/${id}`)
    await act(page, '', 'Remove animal')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await view(id)).animal.removedAtMs, null)
    await act(page, '', 'Remove animal')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove animal' }).click()
    await page.getByText(/This animal was removed today at \d\d:\d\d\. It can be restored until \d+ \w+/).waitFor()
    assert.notEqual((await view(id)).animal.removedAtMs, null)
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    assert.equal((await view(id)).animal.removedAtMs, null)
  })

  it('undoes a name from the notification, and another person’s act from the history', async () => {
    const [id = ''] = await office.give({ name: 'Right', categoryId: 1 })
    await using page = await office.open(browser, 'Sam', `#animal/${id}`)
    await page.getByLabel('Name').fill('Wrong')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Wrong' }).waitFor()
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'Right' }).waitFor()
    const { animal } = await view(id)
    await anna.send('PATCH', `api/animals/${id}`, { version: animal.version, status: 'sold' })
    await page.reload()
    await page.getByText('set the status to Sold').waitFor()
    await page.getByRole('button', { name: 'Undo the last change' }).click()
    await page.getByText('removed the status Sold').or(page.getByText('set the status to Available')).waitFor()
    assert.equal((await view(id)).animal.status, animal.status)
  })

  it('undoes once if “Undo” is pressed twice, and closes outdated notifications', async () => {
    const [id = ''] = await office.give({ name: 'Pressed', categoryId: 1 })
    await using page = await office.open(browser, 'Sam', `#animal/${id}`)
    await page.getByLabel('Name').fill('Pressed twice')
    await page.getByRole('button', { name: 'Save' }).click()
    await toast(page, 'was saved').waitFor()
    await page.getByText(/changed the name from .*Pressed/).waitFor()
    const look = await holdAnswers(page, `**/api/animals/${id}`)
    const undo = page.getByRole('button', { name: 'Undo the last change' })
    await undo.dblclick()
    await toast(page, 'was undone').waitFor()
    await undo.click()
    await look()
    await page.getByRole('heading', { name: 'Pressed', exact: true }).waitFor()
    await page.locator('.history li').nth(2).waitFor()
    assert.equal(await page.locator('main .notice:visible').count(), 0)
    assert.equal(await page.locator('.toast').count(), 1)
  })

  it('adds an animal once after a lost response, however often it is sent', async () => {
    await using page = await office.open(browser, 'Sam', '#add')
    let lost = 0
    await page.route('**/api/animals', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
      lost++
    })
    await page.getByLabel('Category').fill('Dog')
    await page.getByLabel('Name').fill('Only once')
    await page.keyboard.press('Enter')
    await page.locator('.entry', { hasText: 'might not have been added' }).waitFor()
    await page.getByRole('button', { name: 'Send again' }).click()
    await until('it was sent again', () => lost === 2)
    await page.unroute('**/api/animals')
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText(/^Added as number/).waitFor()
    assert.equal((await named('Only once')).length, 1)
    assert.equal(await page.locator('.toast').count(), 0, 'no notice says what is no longer true')
  })

  it('shows animals with the same name, and who added them when', async () => {
    await anna.send<Animal>('POST', 'api/animals', {
      name: 'Luna',
      categoryId: '1',
      status: 'pending',
      formToken: 'a'.repeat(32),
    })
    await using page = await office.open(browser, 'Sam', '#add')
    await page.getByLabel('Name').fill('lúna')
    await page.getByText(/Luna was added today at \d\d:\d\d by .*Anna.* \(Cat, Pending\)\./).waitFor()
    await page.getByLabel('Name').fill('lunatic')
    await page.getByText(/Luna was added/).waitFor({ state: 'hidden' })
  })

  it('keeps a name with a line break when only the category changes', async () => {
    const [id = ''] = await office.give({ name: 'Two\nlines', categoryId: 1 })
    await using page = await office.open(browser, 'Sam', `#animal/${id}`)
    await page.getByRole('heading', { name: 'Two' }).waitFor()
    await page.getByLabel('Category').fill('9223372036854775807')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Use new category' }).click()
    await page.getByText('was saved').first().waitFor()
    const { animal } = await view(id)
    assert.deepEqual([animal.name, animal.categoryId], ['Two\nlines', '9223372036854775807'])
  })

  it('asks before unsaved text is lost', async () => {
    const [id = ''] = await office.give({ name: 'Half done', categoryId: 1 })
    await using page = await office.open(browser, 'Sam', '#animals?text=half')
    await go(page, page.getByRole('link', { name: 'Half done' }))
    await page.getByLabel('Name').fill('Half d')
    const back = () => page.evaluate('history.back()')
    const add = () => page.getByRole('link', { name: 'Add', exact: true }).press('Enter')
    const leaving = page.getByRole('dialog', { name: 'Leave page' })
    for (const leave of [add, back]) {
      await leave()
      await leaving.getByText('What you typed here is not saved.').waitFor()
      await leaving.getByRole('button', { name: 'Cancel' }).click()
      await page.waitForURL(`${office.url}#animal/${id}`)
      assert.equal(await page.getByLabel('Name').inputValue(), 'Half d')
    }
    await back()
    await leaving.getByRole('button', { name: 'Leave page' }).click()
    await page.getByRole('link', { name: 'Half done' }).waitFor()
    await add()
    await page.getByRole('heading', { name: 'Add an animal' }).waitFor()
    await page.getByLabel('Name').fill('Not yet added')
    // Only leaving the page loses this.
    await go(page, page.getByRole('link', { name: 'Journal' }))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog').getByText('Not yet added').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await go(page, page.getByRole('link', { name: 'Add', exact: true }))
    assert.equal(await page.getByLabel('Name').inputValue(), 'Not yet added')
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', async (dialog) => {
        await dialog.dismiss()
        resolve(dialog.type())
      })
    })
    await page.reload({ timeout: 1_000 }).catch(() => {})
    assert.equal(await asked, 'beforeunload')
    assert.equal(await page.getByLabel('Name').inputValue(), 'Not yet added')
  })
})
