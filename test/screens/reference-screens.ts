/** The reference page, on the public port. */
import type { Screen } from './stage.ts'

export const REFERENCE_SCREENS: readonly Screen[] = [
  {
    name: 'reference',
    async reach(stage) {
      const page = await stage.guest(new URL('/docs', stage.office.service.baseUrl).href)
      await page.getByRole('heading', { name: 'List animals', exact: true }).waitFor()
      // Scalar draws this page: its samples scroll in boxes of their own, and its targets and cuts cannot be set from
      // outside.
      return { page, leaves: /^(?!scrolls sideways: html|outside the window: body)/ }
    },
  },
]
