/** Which modules of the tree import which others. */
import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'
import { files, read } from './tree.ts'

const PACKAGES: Readonly<Record<string, string>> = {
  'pet-adoption-client': 'client/src/index.ts',
}

/** The code of the tree but for the examples of packages, which are a user's own. */
export const modules = files.filter((file) => /\.(ts|js|mjs)$/.test(file) && !/\/examples\/|\.d\.ts$/.test(file))

const isThere = new Set(modules)

/** Each import of one module of the tree by another, also by a re-export or `import()`. */
export function imports(): { readonly from: string; readonly to: string }[] {
  return modules.flatMap((from) => {
    const text = read(from)
    const { staticImports, staticExports, dynamicImports } = parseSync(from, text).module
    const paths = [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
      ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
    ]
    return paths.flatMap((path) => {
      const to = PACKAGES[path] ?? posix.join(posix.dirname(from), path)
      return isThere.has(to) ? [{ from, to }] : []
    })
  })
}
