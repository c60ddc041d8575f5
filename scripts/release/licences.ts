/** The licences of the packages whose code or files a release holds, as most of them demand. */
import { readdir, readFile } from 'node:fs/promises'
import { ROOT } from './tree.ts'

/** One text with all of them. `packages` are folders below the root. Throws when one has no licence to give. */
export async function licencesOf(packages: readonly string[]): Promise<string> {
  const parts: string[] = []
  for (const folder of [...new Set(packages)].sort()) {
    const manifest = JSON.parse(await readFile(`${ROOT}/${folder}/package.json`, 'utf8'))
    const { name, version, license }: { name: string; version: string; license?: string } = manifest
    const file = (await readdir(`${ROOT}/${folder}`)).find((entry) => /^licen[sc]e/i.test(entry))
    const text = file === undefined ? undefined : await readFile(`${ROOT}/${folder}/${file}`, 'utf8')
    if (text === undefined && license === undefined) throw new Error(`${name} does not say under which licence it is`)
    parts.push(`${name} ${version}, ${license ?? 'see below'}\n\n${text?.trim() ?? `Licence: ${license}`}\n`)
  }
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}
