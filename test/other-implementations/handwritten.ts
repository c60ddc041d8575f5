/**
 * Implementations written by hand, each as users of its language would write it in an hour, and what the kit says of
 * them. As a program it prints the table of docs/conformance.md: `node test/other-implementations/handwritten.ts`.
 */
import { pathToFileURL } from 'node:url'
import { type Report, runConformance } from '../../conformance/src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram } from '../support/programs.ts'
import { freePort, runServer } from '../support/servers/servers.ts'
import { FOLDER, installOthers } from './install.ts'

interface Handwritten {
  readonly name: string
  readonly source: string
  /** Undefined where the machine has no such program. */
  readonly program: string | undefined
  readonly args: (port: number) => readonly string[]
}

export const HANDWRITTEN: readonly Handwritten[] = [
  { name: 'Express', source: 'express.js', program: process.execPath, args: (port) => ['express.js', `${port}`] },
  { name: 'Python', source: 'stdlib.py', program: findProgram('python3'), args: (port) => ['stdlib.py', `${port}`] },
]

/** What the kit says of one of them, all cases asked. */
export async function checkHandwritten({ name, program, args }: Handwritten): Promise<Report> {
  if (program === undefined) throw new Error(`there is no program for ${name}`)
  const port = await freePort()
  const folder = temporaryFolder()
  const env = { ...process.env, HOME: folder }
  await using _server = await runServer(port, [program, ...args(port)], { cwd: FOLDER, env })
  const baseUrl = `http://127.0.0.1:${port}/v1`
  return await runConformance({ baseUrl, key: 'other-key', limitedKey: 'limited-key', thorough: true })
}

/** What a report adds to the table: the verdict of its core, and what failed by the statement that it breaks. */
export function tableRow({ name, source }: Handwritten, { core, results }: Report): string {
  const broken = new Map<string, string[]>()
  for (const { id, failure, level } of results) {
    if (failure === undefined || level !== 'core') continue
    broken.set(failure.statement, [...(broken.get(failure.statement) ?? []), `\`${id}\``])
  }
  const byNumber = [...broken].sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)))
  const found = byNumber.map(([statement, ids]) => `${statement}: ${ids.sort().join(', ')}`).join('; ')
  return `| ${name}, [\`${source}\`](../test/other-implementations/${source}) | ${core} | ${found} |`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const missing = await installOthers()
  if (missing !== undefined) throw new Error(missing)
  const reports = await Promise.all(HANDWRITTEN.map(async (each) => tableRow(each, await checkHandwritten(each))))
  process.stdout.write(`${reports.join('\n')}\n`)
}
