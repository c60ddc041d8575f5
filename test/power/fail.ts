/** Lets the power fail at many points of a record, and judges what is left each time. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Course, type Mark } from './expectation.ts'
import { judge, type Memory } from './judge.ts'
import type { Entry } from './record.ts'
import { Disk, MODES, type Mode, type Random } from './states.ts'

/** Where the power fails: behind so many entries of the record, and what of the unsynced is on the disk then. */
export interface Failure {
  readonly at: number
  readonly mode: Mode
}

interface Outcome {
  readonly states: number
  /** How many of the databases in them were not the same, byte for byte. */
  readonly distinct: number
  /** The first that is wrong, if one is. */
  readonly violation: string | undefined
}

/** Of long records not every hardest failure is tried each time: spread over the record, at least so many. */
const HARDEST = 100

/**
 * The hardest, and `count` more: half of them spread over the same places, with whatever of the unsynced; the others
 * anywhere. In the order of the record.
 */
export function failures(entries: readonly Entry[], count: number, random: Random): readonly Failure[] {
  const sharp = entries.flatMap((entry, index) => (isSharp(entry) ? [index + 1] : []))
  const chosen = Array.from({ length: count }, (_, n): Failure => {
    const place = random()
    const mode = MODES[Math.floor(random() * MODES.length)] ?? 'nothing'
    const isAnywhere = n % 2 === 1
    const among = isAnywhere ? entries.length + 1 : sharp.length
    const index = Math.floor(((isAnywhere ? place * count : n + place) / count) * among)
    return { at: isAnywhere ? index : (sharp[index] ?? 0), mode }
  })
  const every = Math.max(1, Math.floor(sharp.length / HARDEST))
  return [...chosen, ...hardest(entries).filter((_, n) => n % every === 0)].sort((a, b) => a.at - b.at)
}

/** All failures right behind what was acknowledged or named, which take with them all that was not synced. */
export function hardest(entries: readonly Entry[]): readonly Failure[] {
  return entries.flatMap((entry, index): Failure[] => (isSharp(entry) ? [{ at: index + 1, mode: 'nothing' }] : []))
}

/** All failures in the middle of writes, which leave some of them. */
export function middles(entries: readonly Entry[]): readonly Failure[] {
  return entries.flatMap((entry, index): Failure[] => (entry.kind === 'write' ? [{ at: index + 1, mode: 'some' }] : []))
}

function isSharp(entry: Entry): boolean {
  if (entry.kind === 'mark') return (entry.mark as Mark).phase === 'done'
  return ['create', 'folder', 'rename', 'link', 'unlink', 'truncate'].includes(entry.kind)
}

/** Stops at the first violation. `recorded` is the folder of the record, `scratch` one in which states are made. */
export async function failAt(
  chosen: readonly Failure[],
  entries: readonly Entry[],
  { recorded, scratch, random }: { readonly recorded: string; readonly scratch: string; readonly random: Random },
): Promise<Outcome> {
  const disk = new Disk(recorded)
  const course = new Course()
  const memory: Memory = new Map()
  const root = join(scratch, 'state')
  let taken = 0
  for (const [states, { at, mode }] of chosen.entries()) {
    for (const entry of entries.slice(taken, at)) {
      if (entry.kind === 'mark') course.note(entry.mark as Mark)
      else disk.take(entry)
    }
    taken = Math.max(taken, at)
    if (existsSync(root)) rmSync(root, { recursive: true })
    disk.fail(root, mode, random)
    const wrong = await judge(root, course, memory)
    if (wrong.length > 0) {
      const last = entries.slice(0, at).findLast(({ kind }) => kind === 'mark')
      const where = `behind entry ${at} of ${entries.length} (${mode} of the unsynced), after ${JSON.stringify(last)}`
      return { states: states + 1, distinct: memory.size, violation: `${where}: ${wrong.slice(0, 5).join('; ')}` }
    }
  }
  return { states: chosen.length, distinct: memory.size, violation: undefined }
}
