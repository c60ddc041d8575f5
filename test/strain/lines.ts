/**
 * What a step of the plan is on the command line, once it is known which animals, keys, imports and backups there are.
 */
import { writeFileSync } from 'node:fs'
import { isAgain, labelOf, newNameOf, rowOf, type State, sourceOf, statusOf } from './model.ts'
import type { Act, Step } from './plan.ts'
import type { Site } from './site.ts'

/** The command line of a step, and what it is about. `backups`: the files that can be restored. */
export function lineOf(
  step: Step,
  state: State,
  site: Site,
  backups: readonly string[],
): { args: readonly string[]; about: readonly string[] } {
  const { n, act, picks } = step
  const { animals, removed, keys, imports } = state.has
  const pick = (from: readonly string[], fraction = picks[0] ?? 0) => from[Math.floor(fraction * from.length)] ?? '0'
  const several = (from: Iterable<bigint>) => {
    const all = Array.from(from, String)
    return [...new Set(picks.map((fraction) => pick(all, fraction)))]
  }
  const some = several(animals.keys())
  const gone = several(removed.keys())
  const one = pick(Array.from(animals.keys(), String))
  // The first one is that of the creates.
  const key = pick([...keys.keys()].slice(1))
  const any = pick([...keys.keys()])
  // A large one more often than the others: it takes longer, and may be cut in the middle.
  const open = [...imports].filter(([, { isUndone }]) => !isUndone).sort(([, a], [, b]) => b.ids.length - a.ids.length)
  const undone = pick(
    Array.from(open, ([n]) => String(n)),
    (picks[0] ?? 0) ** 2,
  )
  const backup = pick(backups)
  const [saved, copied] = [site.file(`b${n}.db`), site.file(`c${n}.db`)]
  const free = act === 'import with ids' ? freeIds(step, state) : []
  const lines: Readonly<Record<Act, () => readonly [args: readonly string[], about?: readonly string[]]>> = {
    import: () => [['import', '--create', fileOf(step, site)]],
    'dry run': () => [['import', '--create', fileOf(step, site), '--dry-run']],
    'import with ids': () => [['import', '--create', fileOf(step, site, free), '--with-ids'], free],
    undo: () => [['imports', 'undo', undone === '0' ? '99' : undone], [undone]],
    'set status': () => [['set-status', statusOf(step), ...some], some],
    edit: () => [['edit', one, '--name', newNameOf(step)], [one]],
    remove: () => [['remove', ...some], some],
    'restore animal': () => [['restore-animal', ...gone], gone],
    'create key': () => [['keys', 'create', '--create', '--plan', 'business', '--label', labelOf(step), '--json']],
    'first key': () => [['serve', '--first-key']],
    'rotate key': () => [['keys', 'rotate', key, '--json', ...(isAgain(step) ? ['--again'] : [])], [key]],
    'revoke key': () => [['keys', 'revoke', key, '--json'], [key]],
    'edit key': () => [['keys', 'edit', key, '--label', labelOf(step), '--json'], [key]],
    'unban key': () => [['keys', 'unban', any, '--json'], [any]],
    backup: () => [['backup', saved], [saved]],
    restore: () => [['restore', backup], [backup]],
    copy: () => [['copy', '--from', site.database, '--to', `sqlite:${copied}`], [copied]],
    find: () => [['find', `.${n % 10}`, '--json']],
    verify: () => [['verify']],
    export: () => [['export']],
  }
  const [args, about = []] = lines[act]()
  return { args: act === 'copy' ? args : [...args, '--database', site.database], about }
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

/** Writes the file of an import. */
export function fileOf(step: Step, site: Pick<Site, 'file'>, ids?: readonly string[]): string {
  const file = site.file(sourceOf(step))
  const rows = Array.from({ length: step.rows }, (_, i) => {
    const { name, categoryId, status } = rowOf(step, i)
    return `${ids === undefined ? '' : `${ids[i]},`}${name},${categoryId},${status ?? ''}\n`
  })
  writeFileSync(file, `${ids === undefined ? '' : 'id,'}name,categoryId,status\n${rows.join('')}`)
  return file
}
