/**
 * Joins a module of a page and all that it imports into one script. A browser opens few connections to a server and learns
 * what a module imports only when it has it: on a slow connection two dozen small modules take four times as long as one
 * file. This is no general bundler. It knows the forms in which this project imports and exports, and refuses any other:
 * names in braces without `as`, and exports that are never assigned again.
 */
import { posix } from 'node:path'

/** `import { … } from '…'` and `export { … } from '…'`, also over several lines. */
const FROM = /^(import|export) \{([^}]*)\} from '(\.[^']+)'$/gm
/** An export where it is declared. */
const DECLARED = /^export (?=(?:async )?(?:const|class|function)\*? (\w+))/gm
const OTHER_FORM = /^(?:import|export)\b.*/m

/**
 * The script, in which each module comes after those it imports, in a scope of its own. `read` gives a module's text without
 * types by its path, and `entry` is the path of the first one, which alone may wait at its top level. Throws if modules
 * import each other in a circle, or have another form.
 */
export async function joinModules(entry: string, read: (path: string) => Promise<string>): Promise<string> {
  const parts: string[] = []
  /** The variable that holds what a module exports; undefined while the modules that it imports are read. */
  const variables = new Map<string, string | undefined>()

  const add = async (path: string): Promise<string> => {
    if (variables.has(path)) {
      const known = variables.get(path)
      if (known === undefined) throw new Error(`${path} imports itself by way of others`)
      return known
    }
    variables.set(path, undefined)
    const text = await read(path)
    const exported: string[] = []
    let imports = ''
    for (const [, verb, list = '', from = ''] of text.matchAll(FROM)) {
      const names = namesIn(list, path)
      if (verb === 'export') exported.push(...names)
      // Also where no name is left when the types are gone, as in JavaScript.
      imports += `const { ${names.join(', ')} } = ${await add(posix.join(posix.dirname(path), from))};\n`
    }
    const body = text.replace(FROM, '').replace(DECLARED, (_export, name: string) => {
      exported.push(name)
      return ''
    })
    const other = OTHER_FORM.exec(body)?.[0]
    if (other !== undefined) throw new Error(`${path} cannot be joined because of its line: ${other}`)
    const variable = `$${parts.length}`
    variables.set(path, variable)
    const scope = `// ${path}\n${imports}${body.trim()}\n`
    parts.push(
      path === entry
        ? `{\n${scope}}\n`
        : `const ${variable} = (() => {\n${scope}return { ${exported.join(', ')} }\n})();\n`,
    )
    return variable
  }

  await add(entry)
  return parts.join('')
}

/** The names in the braces; what is left of types are blanks and commas. */
function namesIn(list: string, path: string): string[] {
  const names = list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  const strange = names.find((name) => !/^\w+$/.test(name))
  if (strange !== undefined) throw new Error(`${path} cannot be joined because it imports or exports “${strange}”`)
  return names
}
