/**
 * Mappings that versions before kept in the database by a name: they are a person's work, so the update that drops
 * their table writes each to a file NAME.map, which `--map @NAME.map` reads.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `rules`: a JSON array. Tells in a sentence where they are. */
export function exportMaps(
  maps: readonly (readonly [name: string, rules: string])[],
  folder: string,
  tell: (sentence: string) => void,
): void {
  const files = maps.map(([name, rules]) => {
    const safe = name.replace(/[^\p{L}\p{N}._-]/gu, '_')
    const file = freeFile(folder, safe)
    writeFileSync(file, `${(JSON.parse(rules) as string[]).join('\n')}\n`, { mode: 0o600, flag: 'wx' })
    return file
  })
  if (files.length > 0)
    tell(`the mappings that were kept by a name are files now, to be named with --map @FILE: ${files.join(', ')}`)
}

function freeFile(folder: string, name: string): string {
  for (let n = 0; ; n += 1) {
    const file = join(folder, `${name}${n === 0 ? '' : `-${n}`}.map`)
    if (!existsSync(file)) return file
  }
}
