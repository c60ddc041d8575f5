/**
 * How soon the pages can be used on a slow connection, by Chromium's emulation: the office by somebody who is signed
 * in, from the address to the list of animals on the screen; the front desk to the form for the key. The first visit
 * has an empty cache, the second comes right after it. The service has built its pages before.
 */
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../test/support/browser/chromium.ts'
import { enterOffice } from '../test/support/office-client.ts'
import { pets, startService } from '../test/support/service.ts'
import { writeCsv } from './animals.ts'
import { type Conditions, median } from './measures/throughput.ts'

interface Network {
  readonly name: string
  readonly kbitPerSecond: number
  /** From a request to the first byte of its answer. */
  readonly latencyMs: number
}

interface Visit {
  readonly usableMs: number
  readonly requests: number
  /** As they came over the wire, with their heads. */
  readonly bytes: number
}

export interface PageTimes {
  readonly page: keyof typeof USABLE
  readonly network: Network
  /** One of each for each run. */
  readonly first: readonly Visit[]
  readonly second: readonly Visit[]
}

const NETWORKS: readonly Network[] = [
  { name: 'slow 4G', kbitPerSecond: 1_600, latencyMs: 150 },
  { name: 'slow 3G', kbitPerSecond: 400, latencyMs: 400 },
]
const ANIMALS = 1_000
/** What stands on the screen when a page can be used. */
const USABLE = { office: 'main .row .status', 'front desk': '#key-button:enabled' } as const

export async function measurePages({ workFolder, runs, say }: Conditions): Promise<readonly PageTimes[]> {
  await using service = await startService({ args: ['--office', '--pages'] })
  // Tests end without waiting for it.
  service.process.ref()
  const csv = join(workFolder, 'pages.csv')
  await writeCsv(csv, ANIMALS)
  const { code, stderr } = await pets(['import', csv, '--database', service.database])
  if (code !== 0) throw new Error(stderr)
  const { cookie } = await enterOffice(service, 'operator', 'Ada')
  const urls = { office: service.operatorUrl, 'front desk': new URL('/', service.baseUrl).href }
  const browser = await openBrowser()
  try {
    const times: PageTimes[] = []
    for (const page of ['office', 'front desk'] as const) {
      for (const network of NETWORKS) {
        say(`${page} on ${network.name} …`)
        const both: (readonly [Visit, Visit])[] = []
        // The first one only makes the service build its pages.
        for (let run = 0; run <= runs; run += 1) both.push(await visitTwice(browser, cookie, urls[page], page, network))
        const measured = both.slice(1)
        times.push({
          page,
          network,
          first: measured.map(([first]) => first),
          second: measured.map(([, second]) => second),
        })
      }
    }
    return times
  } finally {
    await browser.close()
  }
}

/** The visit of median time, whose requests and bytes go with it. */
export function medianVisit(visits: readonly Visit[]): Visit {
  const middle = median(visits.map(({ usableMs }) => usableMs))
  const distance = ({ usableMs }: Visit) => Math.abs(usableMs - middle)
  return visits.reduce((best, visit) => (distance(visit) < distance(best) ? visit : best))
}

async function visitTwice(browser: Browser, cookie: string, url: string, page: keyof typeof USABLE, network: Network) {
  const context = await browser.newContext()
  try {
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, domain: new URL(url).hostname, path: '/' }])
    return [await visit(context, url, USABLE[page], network), await visit(context, url, USABLE[page], network)] as const
  } finally {
    await context.close()
  }
}

/** What is used of the page's own globals. */
interface Window {
  readonly document: { querySelector(selector: string): { checkVisibility(): boolean } | null }
}

/** `usable` is a selector. */
async function visit(context: BrowserContext, url: string, usable: string, network: Network): Promise<Visit> {
  const page = await context.newPage()
  const wire = await emulate(context, page, network)
  await page.goto(url, { waitUntil: 'commit' })
  // Counted from when the address was asked for, and looked at with each frame: a locator looks every 500 ms.
  const seen = await page.waitForFunction((selector) => {
    const { document } = globalThis as unknown as Window
    return document.querySelector(selector)?.checkVisibility() === true && performance.now()
  }, usable)
  const usableMs = Number(await seen.jsonValue())
  const visited = { usableMs, ...wire }
  await page.close()
  return visited
}

/** Slows the page down; the result counts on. */
async function emulate(context: BrowserContext, page: Page, { kbitPerSecond, latencyMs }: Network) {
  const session = await context.newCDPSession(page)
  const counted = { requests: 0, bytes: 0 }
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    if (encodedDataLength === 0) return
    counted.requests += 1
    counted.bytes += encodedDataLength
  })
  await session.send('Network.enable')
  const bytesPerSecond = (kbitPerSecond * 1_000) / 8
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  return counted
}
