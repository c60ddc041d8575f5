/** The reference page, on the public port. */
import { until } from '../support/until.ts'
import type { Screen } from './stage.ts'

export const REFERENCE_SCREENS: readonly Screen[] = [
  {
    name: 'reference',
    async reach(stage) {
      const page = await stage.guest(new URL('/docs', stage.office.service.baseUrl).href)
      // An operation is drawn when it comes into sight.
      await until('the first operation is drawn', async () => {
        await page.evaluate('scrollBy(0, 300)')
        return (await page.getByRole('heading', { name: 'List animals', exact: true }).count()) > 0
      })
      // Scalar draws this page: its samples scroll in boxes of their own, and its targets and cuts cannot be set from
      // outside.
      return { page, leaves: /^(?!scrolls sideways: html|outside the window: body)/ }
    },
  },
]
