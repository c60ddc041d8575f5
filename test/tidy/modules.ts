/**
 * What the modules of the tree export, and what others take from them: a scan of `import` and `export` as the formatter
 * writes them, since a parser would take longer to load than all of it takes to run.
 */
import { posix } from 'node:path'
import { files, read } from './tree.ts'

const PACKAGES: Readonly<Record<string, string>> = {
  'pet-adoption-client': 'client/src/index.ts',
  'pet-adoption-conformance': 'conformance/src/index.ts',
}

/** But for `= '${`: that is code that is being written. */
const EXPORTED =
  /^export (?:async |abstract )*(?:function\*?|const|let|class|interface|type|enum) (\w+)(?! = '\$\{)\b/gm
const LISTED = /^export (?:type )?\{([^}]*)\}(?: from)?/gm
const STATIC = /^(?:import|export) (?:type )?(?:([^'";=()]*?) from )?'([^']+)'/gm
const DYNAMIC = /(?:const \{([^}]*)\} = )?(?:\(?await )?\bimport\('([^']+)'\)\)?(?:\.then\(\(\{([^}]*)\}|\.(\w+))?/g
/** A path, or the name of a file, in a string or among the words of a command. */
const NAMED = /(?:[\w.-]+\/)+[\w.-]+|[\w-]+\.(?:ts|js|mjs)\b/g
const COMMENT = /^\s*(?:\/?\*|\/\/).*$/gm

/** The code of the tree but for the examples of packages, which are a user's own. */
export const modules = files.filter((file) => /\.(ts|js|mjs)$/.test(file) && !/\/examples\/|\.d\.ts$/.test(file))

const isThere = new Set(modules)

/** The file that the path of an import in `file` means; undefined if it is no code of the tree. */
function imported(file: string, path: string): string | undefined {
  const found = PACKAGES[path] ?? posix.join(posix.dirname(file), path)
  return isThere.has(found) ? found : undefined
}

const names = (list: string) =>
  list
    .split(',')
    .map((one) => one.trim().replace(/^type /, ''))
    .filter((one) => one !== '')

/** What a module exports, by the names that others see. */
export function exportsOf(file: string): string[] {
  const text = read(file)
  const listed = [...text.matchAll(LISTED)].flatMap(([, list = '']) =>
    names(list).map((one) => one.replace(/.* as /, '')),
  )
  return [...text.matchAll(EXPORTED)].map(([, name = '']) => name).concat(listed)
}

interface Import {
  readonly from: string
  readonly to: string
  /** What is taken; `*` for all of it. */
  readonly names: readonly string[]
}

/** What the modules take from each other. */
export function imports(): Import[] {
  return modules.flatMap((from) => {
    const text = read(from)
    const statics = [...text.matchAll(STATIC)].map(([, clause = '', path = '']) => {
      const list = /\{([^}]*)\}/.exec(clause)?.[1]
      return { path, names: list === undefined ? ['*'] : names(list).map((one) => one.replace(/ as .*/, '')) }
    })
    const dynamics = [...text.matchAll(DYNAMIC)].map(([, before, path = '', then, member]) => {
      const list = before ?? then
      return { path, names: list === undefined ? [member ?? '*'] : names(list).map((one) => one.replace(/:.*/, '')) }
    })
    return [...statics, ...dynamics].flatMap(({ path, names }) => {
      const to = imported(from, path)
      return to === undefined ? [] : [{ from, to, names }]
    })
  })
}

/**
 * The files whose path stands in another file of the program: imported, started, loaded by a page, or named by a
 * command.
 */
export function named(): ReadonlySet<string> {
  const all = new Set<string>()
  for (const file of files.filter((file) => !/\.(md|png|svg|db|json)$/.test(file) || file.endsWith('package.json'))) {
    const folder = posix.dirname(file)
    for (const [path] of read(file).replace(COMMENT, '').matchAll(NAMED)) {
      for (const one of [path, `${path}.ts`, `${path}.js`]) {
        for (const found of [one, posix.join(folder, one)]) if (found !== file) all.add(found)
      }
    }
  }
  return all
}
