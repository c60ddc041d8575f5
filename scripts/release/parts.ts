/** Lists the packages whose code or files a release contains, with their licences, as most licences demand. */
import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ROOT } from './tree.ts'

export interface ReleasePart {
  readonly name: string
  readonly version: string
  /** The text of its licence, or the licence's name if the package has no text. */
  readonly licence: string
}

/** The packages in these folders, which are relative to the root; sorted. Throws if one has no licence. */
export async function partsIn(folders: readonly string[]): Promise<readonly ReleasePart[]> {
  const parts = await Promise.all([...new Set(folders)].map((folder) => partIn(resolve(ROOT, folder))))
  const nameOf = ({ name, version }: ReleasePart) => `${name}@${version}`
  return parts.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

async function partIn(folder: string): Promise<ReleasePart> {
  const manifest = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  const { name, version, license }: { name: string; version: string; license?: string } = manifest
  const file = (await readdir(folder)).find((entry) => /^licen[sc]e/i.test(entry))
  const licence = file === undefined ? license : (await readFile(`${folder}/${file}`, 'utf8')).trim()
  if (licence === undefined) throw new Error(`${name} does not say under which licence it is`)
  return { name, version, licence }
}

/** The licences of all packages as one text. */
export function licencesOf(parts: readonly ReleasePart[]): string {
  const texts = parts.map(({ name, version, licence }) => `${name} ${version}\n\n${licence}\n`)
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
