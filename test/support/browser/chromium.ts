/** The system's Chromium, preferably its shell, which needs a third of the processor time. */
import { type Browser, chromium } from 'playwright-core'
import { findProgram, skipUnless } from '../programs.ts'

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic']

const executable = findProgram(
  process.env.PETS_TEST_CHROMIUM,
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
)

export const chromiumNeeded = skipUnless(
  executable !== undefined,
  'there is no Chromium on the path; install it, or name one in PETS_TEST_CHROMIUM',
)

export function openBrowser(): Promise<Browser> {
  if (executable === undefined) throw new Error(String(chromiumNeeded.skip))
  return chromium.launch({ executablePath: executable, args: FLAGS, timeout: 180_000 })
}
