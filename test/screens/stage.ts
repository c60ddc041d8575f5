/**
 * One service and one browser for all screens: somebody of each role with a page, and animals, keys and people to be
 * shown.
 */
import type { Browser, Page } from 'playwright-core'
import type { AnimalView } from '../../src/office/office-data.ts'
import type { LedgerRow } from '../../src/store/ledger.ts'
import { openStore } from '../../src/store/open.ts'
import type { Key } from '../../src/store/rows.ts'
import { openPage } from '../support/browser/browser.ts'
import { type Office, REPORTED } from '../support/browser/office-browser.ts'
import { keyOf } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'
import type { Shown } from './measuring.ts'

export const LONG_NAME = 'Maximiliane Freifrau von und zu Hohenstein-Waldeck'
export const UNBROKEN = 'x'.repeat(180)
const NAMES = [
  'Luna',
  'Sir Barksalot of the Old Harbour Road',
  'Ólafur',
  'لونا الجميلة',
  '<b>Mochi</b> & “Söhne”',
  'Señor Gato',
]
const STATUSES = ['available', 'pending', 'sold', undefined]
const ANIMALS = 30
const KEYS = 30

export type Name = 'Olga' | 'Mia' | 'Stella'
const ROLES = { Olga: 'operator', Mia: 'manager', Stella: 'staff' } as const

export interface Stage extends AsyncDisposable {
  readonly browser: Browser
  readonly office: Office
  /** Their page, at this place and with nothing open. */
  at(name: Name, hash: string): Promise<Page>
  /** A page on which nobody is signed in, at this address. */
  guest(url: string, prepare?: (page: Page) => Promise<void>): Promise<Page>
}

/** Nothing moves, and all is dark. */
const LOOK = { colorScheme: 'dark', reducedMotion: 'reduce' } as const

export async function setStage(browser: Browser, office: Office): Promise<Stage> {
  const opened = new Map<Name, Page>()
  let visitor: Page | undefined
  for (const [name, role] of Object.entries(ROLES)) await office.invite(name, role)
  return {
    browser,
    office,
    async at(name, hash) {
      const page = opened.get(name) ?? (await office.open(browser, name, hash, LOOK))
      if (opened.has(name)) {
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        // The page begins anew, and not as another place of the same one.
        await page.goto('about:blank')
        await page.goto(`${office.url}${hash}`)
        await page.locator('main h1').waitFor()
      }
      opened.set(name, page)
      return page
    },
    async guest(url, prepare = async () => {}) {
      await visitor?.[Symbol.asyncDispose]()
      visitor = await openPage(browser, url, { expected: REPORTED, prepare, ...LOOK })
      return visitor
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened.values()) await each[Symbol.asyncDispose]()
      await visitor?.[Symbol.asyncDispose]()
    },
  }
}

/** Many of everything, some of it with names that are hard to show. */
export async function fill(office: Office): Promise<void> {
  const [mia, olga] = [office.client('Mia'), office.client('Olga')]
  const names = Array.from(
    { length: ANIMALS },
    (_, i) => `${NAMES[i % NAMES.length]}${i < NAMES.length ? '' : ` ${i}`}`,
  )
  await office.give(
    ...[UNBROKEN, `${LONG_NAME}, ${LONG_NAME}, ${LONG_NAME}`, ...names].map((name, i) => {
      const status = STATUSES[i % STATUSES.length]
      return { name, categoryId: (i % 5) + 1, ...(status === undefined ? {} : { status }) }
    }),
  )
  await office.name('Mia', 'Cats', 'Dogs', 'Guinea pigs, hamsters and other small animals', UNBROKEN.slice(0, 60))
  for (const [client, change] of [
    [mia, { status: 'sold' }],
    [olga, { name: `${LONG_NAME} the second`, categoryId: '3' }],
    [mia, { name: UNBROKEN }],
  ] as const) {
    const { animal } = await mia.get<AnimalView>('api/animals/1')
    await client.send('PATCH', 'api/animals/1', { version: animal.version, ...change })
  }
  const removed = await mia.get<AnimalView>('api/animals/2')
  await mia.send('POST', 'api/animals/acts', { act: 'remove', animals: [removed.animal] })
  await office.link(LONG_NAME, 'manager')
  await addAtStore(office.service.database)
}

/** Keys, and what was done long ago, whose day takes more words than that of today. */
async function addAtStore(database: string): Promise<void> {
  const store = await openStore(database, { serving: false, clock: patientClock })
  const now = Date.now()
  try {
    await store.records.change([4n], { categoryId: 2n }, { who: 'Olga', atMs: Date.UTC(2024, 8, 30, 22, 31) })
    const keys = Array.from({ length: KEYS }, (_, i): { key: Key; hash: string } => ({
      key: keyOf({
        id: `key_${String(i).padStart(16, 'a')}`,
        plan: 'enterprise',
        perMinute: 9_000_000_000,
        perDay: 9_007_199_254_740_991,
        label: i === 0 ? UNBROKEN : i % 2 === 0 ? `${LONG_NAME}, shelter ${i}` : `Shelter ${i}`,
        createdAtMs: now - i * 1_000,
        lastUsedAtMs: i % 3 === 0 ? now - 60_000 : undefined,
        expiresAtMs: i % 7 === 1 ? now - 86_400_000 : i % 5 === 1 ? now + 86_400_000 : undefined,
        revokedAtMs: i % 11 === 2 ? now - 1_000 : undefined,
      }),
      hash: `hash ${i}`,
    }))
    for (const { key, hash } of keys) await store.keys.add(key, hash, { who: 'Olga', atMs: now })
    const lineage = keys[0]?.key.lineage ?? ''
    const rows = Array.from({ length: 1_440 }, (_, ago): LedgerRow => {
      const sums = { admitted: 9_000_000_000 - ago, refusedByMinute: 7_000 * (ago % 5), refusedByDay: ago }
      const answers = { refusedByBan: 3, answered4xx: 120_000, answered5xx: 1 }
      return { lineage, hour: Math.floor(now / 3_600_000) - ago, operation: 'listPets', sums: { ...sums, ...answers } }
    })
    await store.requests.saveLedger(rows, { process: 'the stage', n: 1, atMs: now })
  } finally {
    await store.close()
  }
}

/** A screen, or a state of one, and how it is reached from wherever the people are. */
export interface Screen {
  readonly name: string
  reach(stage: Stage): Promise<Shown>
}

/** Opens a page of somebody. */
export type Opener = (stage: Stage) => Promise<Page>

/**
 * This page as it is opened, and after what is done on it, or once it says these words; where its name says so, with a
 * dialog. `menu`: what is in front, and what opens it again.
 */
export function screen(
  name: string,
  open: Opener,
  act: string | ((page: Page, stage: Stage) => Promise<unknown>) = async () => {},
  menu?: { readonly scope: string; readonly again: (page: Page) => Promise<void> },
): Screen {
  return {
    name,
    async reach(stage) {
      const page = await open(stage)
      if (typeof act === 'string') await page.getByText(act).first().waitFor()
      else await act(page, stage)
      if (name.startsWith('dialog')) await page.getByRole('dialog').last().waitFor()
      return { page, scope: menu?.scope, again: menu && (() => menu.again(page)) }
    },
  }
}

export function at(name: Name, hash: string): Opener {
  return (stage) => stage.at(name, hash)
}

/** What a screen says when the service is away: `ask` asks it again. */
export function away(
  name: string,
  open: Opener,
  path: string,
  words: string | RegExp,
  ask: (page: Page) => Promise<unknown> = refresh,
): Screen {
  return screen(name, open, async (page) => {
    await page.route(path, (route) => route.abort())
    await ask(page)
    await page.getByText(words).first().waitFor()
  })
}

/** As if the page came into view again. */
export function refresh(page: Page): Promise<unknown> {
  return page.evaluate('void document.dispatchEvent(new Event("visibilitychange"))')
}
