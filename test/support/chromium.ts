/** The system's Chromium, headless, for every test that needs a real browser. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const executable = [
  process.env.PETS_TEST_CHROMIUM,
  '/usr/bin/chromium',
  ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium')),
].find((path) => path !== undefined && existsSync(path))

/** Why tests are skipped, or false. In CI they fail instead. */
export const skip =
  executable === undefined && process.env.CI !== 'true'
    ? 'there is no Chromium: install it, or name one in PETS_TEST_CHROMIUM'
    : false

export function openBrowser(): Promise<Browser> {
  if (executable === undefined) throw new Error('there is no Chromium: install it, or name one in PETS_TEST_CHROMIUM')
  return chromium.launch({ executablePath: executable, args: FLAGS })
}
