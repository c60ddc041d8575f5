/** Output of a key without its secret. */
import { printable } from '../../../common/printable.ts'
import { type Ban, banOf, stateOf } from '../../../rules/keys.ts'
import type { Key } from '../../../store/rows.ts'
import type { Store } from '../../../store/store.ts'
import { CommandFailed } from '../../options.ts'
import { factsOf, toIso, toMinute } from '../../table.ts'

export function keyToJson(key: Key, nowMs: number) {
  const { id, plan, perMinute, perDay, label, ban } = key
  return {
    id,
    plan,
    perMinute,
    perDay,
    label,
    state: stateAt(key, nowMs),
    createdAt: toIso(key.createdAtMs),
    expiresAt: toIso(key.expiresAtMs),
    revokedAt: toIso(key.revokedAtMs),
    lastUsedAt: toIso(key.lastUsedAtMs),
    ban: ban && toJsonBan(ban),
  }
}

export function stateText(key: Key, nowMs: number, format: typeof toIso = toMinute): string {
  const state = stateAt(key, nowMs)
  return state === 'banned' ? `banned until ${format(key.ban?.untilMs)}` : state
}

export function keyDetails(key: Key, successor: Key | undefined, nowMs: number): string {
  return factsOf(13, [
    ['Key', key.id],
    ['Label', key.label === '' ? '-' : printable(key.label)],
    ['Plan', `${key.plan}: ${key.perMinute} requests a minute, ${key.perDay} a day`],
    ['State', stateText(key, nowMs, toIso)],
    ['Bans', key.ban && banText(key.ban)],
    ['Created', toIso(key.createdAtMs)],
    ['Expires', toIso(key.expiresAtMs)],
    ['Revoked', toIso(key.revokedAtMs)],
    ['Last used', key.lastUsedAtMs === undefined ? 'never' : toMinute(key.lastUsedAtMs)],
    ['Replaced by', successor?.id],
  ])
}

function stateAt(key: Key, nowMs: number) {
  return stateOf(key, nowMs, banOf(key, nowMs) !== undefined)
}

function banText({ count, atMs, untilMs, refusals, withinMs, window, limit }: Ban): string {
  const when = `${toIso(atMs)} until ${toIso(untilMs)}`
  const why = `${refusals} requests refused within ${withinMs / 1_000} s, over the limit of ${limit} a ${window}`
  return `${count}, the last from ${when}: ${why}`
}

function toJsonBan({ atMs, untilMs, refusals, withinMs, window, limit, count }: Ban) {
  const seconds = withinMs / 1_000
  return { beganAt: toIso(atMs), untilAt: toIso(untilMs), refusals, withinSeconds: seconds, window, limit, count }
}

/** Throws CommandFailed. `id` is not repeated if it might be a key. */
export async function findKey({ keys }: Pick<Store, 'keys'>, id: string): Promise<Key> {
  const key = await keys.get(id)
  if (key !== undefined) return key
  if (id.startsWith('pets_')) {
    throw new CommandFailed('This is a key, not a key id. `pets keys list` shows the ids.')
  }
  throw new CommandFailed(`Key ${printable(id)} does not exist. \`pets keys list\` lists the keys.`)
}
