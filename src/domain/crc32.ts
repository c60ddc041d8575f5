/**
 * CRC-32 as in zlib, PNG and Ethernet (ISO 3309). node:zlib has it too, but loading that module takes 7 ms of each start of
 * the service, and the service needs nothing else of it.
 */

/** The remainders of all bytes, by the reversed polynomial. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (REMAINDERS[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}
