/** Writes the version from package.json to the files that repeat it: src/version.ts and jsr.json. */
import { readFile, writeFile } from 'node:fs/promises'

const CLIENT = `${import.meta.dirname}/..`

/** The texts of src/version.ts and jsr.json by their paths below client/. */
export async function versioned(): Promise<Readonly<Record<string, string>>> {
  const { version }: { version: string } = JSON.parse(await readFile(`${CLIENT}/package.json`, 'utf8'))
  const jsr = await readFile(`${CLIENT}/jsr.json`, 'utf8')
  return {
    'src/version.ts': `/** Written by scripts/generate-version.ts from package.json: change it there, then run \`npm run generate\`. */
export const VERSION = '${version}'
`,
    'jsr.json': jsr.replace(/("version": )"[^"]*"/, `$1"${version}"`),
  }
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await versioned())) await writeFile(`${CLIENT}/${path}`, text)
}
