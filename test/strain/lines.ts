/**
 * What a step of the plan is on the command line, once it is known which animals, keys, imports and backups there are.
 */
import { writeFileSync } from 'node:fs'
import { isAgain, labelOf, newNameOf, rowOf, type State, sourceOf, statusOf } from './model.ts'
import type { Step } from './plan.ts'
import type { Site } from './site.ts'

/** The command line of a step, and what it is about. `backups`: the files that can be restored. */
export function lineOf(
  step: Step,
  state: State,
  site: Site,
  backups: readonly string[],
): { args: readonly string[]; about: readonly string[] } {
  const { n, act, picks } = step
  const on = ['--database', site.database]
  const pick = (from: readonly string[], fraction = picks[0] ?? 0) => from[Math.floor(fraction * from.length)] ?? '0'
  const several = (from: Iterable<bigint>) => {
    const all = Array.from(from, String)
    return [...new Set(picks.map((fraction) => pick(all, fraction)))]
  }
  const { animals, removed, keys, imports } = state.has
  switch (act) {
    case 'import':
    case 'dry run':
      return {
        args: ['import', '--create', fileOf(step, site), ...(act === 'dry run' ? ['--dry-run'] : []), ...on],
        about: [],
      }
    case 'import with ids': {
      const ids = freeIds(step, state)
      return { args: ['import', '--create', fileOf(step, site, ids), '--with-ids', ...on], about: ids }
    }
    case 'undo': {
      const about = [pick([...imports].flatMap(([n, { isUndone }]) => (isUndone ? [] : [String(n)])))]
      return { args: ['imports', 'undo', about[0] === '0' ? '99' : pick(about), ...on], about }
    }
    case 'set status': {
      const about = several(animals.keys())
      return { args: ['set-status', statusOf(step), ...about, ...on], about }
    }
    case 'edit': {
      const about = [pick(Array.from(animals.keys(), String))]
      return { args: ['edit', ...about, '--name', newNameOf(step), ...on], about }
    }
    case 'remove': {
      const about = several(animals.keys())
      return { args: ['remove', ...about, ...on], about }
    }
    case 'restore animal': {
      const about = several(removed.keys())
      return { args: ['restore-animal', ...about, ...on], about }
    }
    case 'create key':
      return {
        args: ['keys', 'create', '--create', '--plan', 'pro', '--label', labelOf(step), '--json', ...on],
        about: [],
      }
    case 'rotate key':
    case 'revoke key': {
      // The first one is that of the creates.
      const about = [pick([...keys.keys()].slice(1))]
      const more = act === 'rotate key' && isAgain(step) ? ['--again'] : []
      return { args: ['keys', act === 'rotate key' ? 'rotate' : 'revoke', ...about, '--json', ...more, ...on], about }
    }
    case 'edit key': {
      const about = [pick([...keys.keys()].slice(1))]
      return { args: ['keys', 'edit', ...about, '--label', labelOf(step), '--json', ...on], about }
    }
    case 'unban key': {
      const about = [pick([...keys.keys()])]
      return { args: ['keys', 'unban', ...about, '--json', ...on], about }
    }
    case 'backup': {
      const file = site.file(`b${n}.db`)
      return { args: ['backup', file, ...on], about: [file] }
    }
    case 'restore': {
      const about = [pick(backups)]
      return { args: ['restore', ...about, ...on], about }
    }
    case 'copy': {
      const file = site.file(`c${n}.db`)
      return { args: ['copy', '--from', site.database, '--to', `sqlite:${file}`], about: [file] }
    }
    case 'find':
      return { args: ['find', `.${n % 10}`, '--json', ...on], about: [] }
    case 'verify':
    case 'export':
      return { args: [act, ...on], about: [] }
  }
}

/** Ids that no animal has: beyond all, or in a gap below some that are there. */
function freeIds({ n, rows, picks }: Step, { has: { animals, removed } }: State): string[] {
  const taken = new Set([...animals.keys(), ...removed.keys()].map(String))
  const top = [...taken].reduce((most, id) => Math.max(most, Number(id)), 0)
  const begin = n % 2 === 0 ? top + 1_000 : 1 + Math.floor((picks[0] ?? 0) * top)
  const ids: string[] = []
  for (let id = begin; ids.length < rows; id += 1) if (!taken.has(String(id))) ids.push(String(id))
  return ids
}

function fileOf(step: Step, site: Site, ids?: readonly string[]): string {
  const file = site.file(sourceOf(step))
  const rows = Array.from({ length: step.rows }, (_, i) => {
    const { name, categoryId, status } = rowOf(step, i)
    return `${ids === undefined ? '' : `${ids[i]},`}${name},${categoryId},${status ?? ''}\n`
  })
  writeFileSync(file, `${ids === undefined ? '' : 'id,'}name,categoryId,status\n${rows.join('')}`)
  return file
}
