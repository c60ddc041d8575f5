/** Who changes something in tests, and when. */
import type { Author } from '../../src/store/author.ts'

/** Who makes the changes of a test. */
export function authorAt(atMs: number): Author {
  return { who: 'a test', atMs }
}
