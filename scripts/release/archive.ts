/**
 * Writes `ar` and `tar`, the two formats of a Debian package. With our own writer a package can be made on any machine,
 * and the same files give the same bytes.
 */

export interface ArchiveEntry {
  /** Relative, without a leading slash. A slash at the end marks a folder. */
  readonly path: string
  readonly mode: number
  readonly content: Buffer
}

const TAR_BLOCK = 512
const MAX_TAR_PATH = 100

/** All entries belong to root and have the same time. Throws if a path is too long for the format. */
export function tar(entries: readonly ArchiveEntry[], atMs: number): Buffer {
  const parts = entries.flatMap((entry) => [header(entry, atMs), padded(entry.content, TAR_BLOCK)])
  return Buffer.concat([...parts, Buffer.alloc(2 * TAR_BLOCK)])
}

function header({ path, mode, content }: ArchiveEntry, atMs: number): Buffer {
  const name = `./${path}`
  if (Buffer.byteLength(name) > MAX_TAR_PATH) throw new Error(`${path} is too long a path for this archive`)
  const block = Buffer.alloc(TAR_BLOCK)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  block.write(name, 0)
  block.write(octal(mode, 7) + octal(0, 7) + octal(0, 7) + octal(content.length, 11) + octal(atMs / 1000, 11), 100)
  block.write(' '.repeat(8), 148) // for the checksum, its own field counts as spaces
  block.write(path.endsWith('/') ? '5' : '0', 156)
  block.write('ustar\x0000root', 257)
  block.write('root', 297)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

export function ar(members: readonly (readonly [name: string, content: Buffer])[], atMs: number): Buffer {
  const parts = members.flatMap(([name, content]) => {
    const fields = [name.padEnd(16), String(atMs / 1000).padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)]
    return [Buffer.from(`${fields.join('')}${String(content.length).padEnd(10)}\`\n`), padded(content, 2, '\n')]
  })
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}

function padded(content: Buffer, block: number, filler = '\0'): Buffer {
  const missing = (block - (content.length % block)) % block
  return Buffer.concat([content, Buffer.alloc(missing, filler)])
}
