/** The packages whose code or files a release holds: which they are, and their licences, as most of them demand. */
import { readdir, readFile } from 'node:fs/promises'
import { ROOT } from './tree.ts'

export interface Part {
  readonly name: string
  readonly version: string
  /** The text of its licence, or where it has none the licence's name. */
  readonly licence: string
}

/** The packages in these folders below the root, sorted. Throws when one has no licence to give. */
export async function partsIn(folders: readonly string[]): Promise<readonly Part[]> {
  return Promise.all([...new Set(folders)].sort().map(partIn))
}

async function partIn(folder: string): Promise<Part> {
  const manifest = JSON.parse(await readFile(`${ROOT}/${folder}/package.json`, 'utf8'))
  const { name, version, license }: { name: string; version: string; license?: string } = manifest
  const file = (await readdir(`${ROOT}/${folder}`)).find((entry) => /^licen[sc]e/i.test(entry))
  const licence = file === undefined ? license : (await readFile(`${ROOT}/${folder}/${file}`, 'utf8')).trim()
  if (licence === undefined) throw new Error(`${name} does not say under which licence it is`)
  return { name, version, licence }
}

/** One text with the licences of all. */
export function licencesOf(parts: readonly Part[]): string {
  const texts = parts.map(({ name, version, licence }) => `${name} ${version}\n\n${licence}\n`)
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
