/** Finds the program that listens on a port of this machine, as far as Linux shows it to this user. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

const LISTENING = '0A'

/** Such as "nginx (process 123)"; undefined if unknown. */
export function holderOf(port: number): string | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => socketsOf(table, port)))
  for (const pid of sockets.size === 0 ? [] : namesIn('/proc')) {
    const isHolder = /^\d+$/.test(pid) && namesIn(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(pid, fd)))
    if (isHolder) return `${basename(textOf(`/proc/${pid}/cmdline`).split('\0')[0] ?? '')} (process ${pid})`
  }
  return undefined
}

function socketsOf(table: string, port: number): readonly string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  return textOf(`/proc/net/${table}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state === LISTENING)
    .map((fields) => `socket:[${fields[9]}]`)
}

function namesIn(folder: string): readonly string[] {
  return orIfHidden(() => readdirSync(folder), [])
}

function linkOf(pid: string, fd: string): string {
  return orIfHidden(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '')
}

function textOf(file: string): string {
  return orIfHidden(() => readFileSync(file, 'utf8'), '')
}

/** For another user's process, or if this is not Linux. */
function orIfHidden<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
