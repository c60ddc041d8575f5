/**
 * Writes the reference in README.md from the comments in src/, so that readers find there what editors show next to the
 * code. Covers each declaration that src/index.ts exports, and its public members.
 */
import { readFile, writeFile } from 'node:fs/promises'

const CLIENT = `${import.meta.dirname}/..`
const SOURCES = 'options.ts client.ts mirror.ts sender.ts limiter.ts errors.ts json.ts types.ts clock.ts'.split(' ')
const BEGIN = '<!-- reference: written by `npm run generate` from the comments in src -->'
const END = '<!-- end of reference -->'

/** A comment and the line after it, where a declaration begins. */
const DOCUMENTED = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n( *)(.*)/g

/** The text of README.md with its reference regenerated. */
export async function withReference(readme: string): Promise<string> {
  const [before, rest] = readme.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error('README.md lacks the marks around its reference')
  return `${before}${BEGIN}\n\n${await reference()}\n${END}${after}`
}

async function reference(): Promise<string> {
  const read = (name: string) => readFile(`${CLIENT}/src/${name}`, 'utf8')
  const exported = new Set((await read('index.ts')).match(/\w+/g))
  const lines: string[] = []
  for (const source of await Promise.all(SOURCES.map(read))) {
    let isPublic = false
    for (const [, comment = '', indent, line = ''] of source.matchAll(DOCUMENTED)) {
      const isMember = indent !== ''
      const [, kind, name] = /^export (class|interface|type|function) (\w+)/.exec(line) ?? []
      if (!isMember) isPublic = name !== undefined && exported.has(name)
      if (!isPublic || comment.includes('@internal') || /^(?:readonly |async )*#/.test(line)) continue
      if (isMember) lines.push(`- \`${signature(line)}\`: ${prose(comment)}`)
      else lines.push('', `**\`${kind === 'function' ? signature(line) : name}\`**: ${prose(comment)}`)
    }
  }
  return `${lines.join('\n').trim().replaceAll('\n\n\n', '\n\n')}\n`
}

/** A member as its users see it: a parameter with a default is optional, and an optional one may be undefined. */
function signature(line: string): string {
  return line
    .replace(/^(?:export function |override |readonly |async |get )+/, '')
    .replace(/^\*/, '')
    .replace('constructor(options: PetAdoptionOptions', 'new PetAdoption(options: PetAdoptionOptions')
    .replace('constructor(options: LimiterOptions', 'new Limiter(options: LimiterOptions')
    .replace(/^(rateLimit|limiter)\(\)/, '$1')
    .replace(/(\w+): (\w+) = \{\}/g, '$1?: $2')
    .replace(/(\w\?: .*) \| undefined$/, '$1')
    .replace(/ \{$/, '')
}

function prose(comment: string): string {
  const text = comment.replace(/\s*\n\s*\* ?/g, ' ').trim()
  return text.replace(/\s*@deprecated\s+/, ' **Deprecated.** ')
}

if (import.meta.main) {
  const file = `${CLIENT}/README.md`
  await writeFile(file, await withReference(await readFile(file, 'utf8')))
}
