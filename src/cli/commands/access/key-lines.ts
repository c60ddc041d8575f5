/** How the commands show a key, without its secret: a line of a table, an object, and all that is known of one. */
import type { Clock } from '../../../common/clock.ts'
import { printable, printableJson } from '../../../common/printable.ts'
import { stateOf } from '../../../domain/keys.ts'
import type { Ban, Key } from '../../../store/rows.ts'
import { banOf } from '../../../store/rows.ts'
import { toIso, toMinute } from '../../table.ts'

export class KeyLines {
  static readonly headings = [
    ...['ID', 'PLAN', 'PER MINUTE', 'PER DAY', 'STATE'],
    ...['CREATED', 'EXPIRES', 'LAST USED', 'LABEL'],
  ]
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  json(key: Key): string {
    return printableJson(this.facts(key))
  }

  facts(key: Key) {
    return {
      id: key.id,
      plan: key.plan,
      perMinute: key.perMinute,
      perDay: key.perDay,
      label: key.label,
      state: this.#state(key),
      createdAt: toIso(key.createdAtMs),
      expiresAt: toIso(key.expiresAtMs),
      revokedAt: toIso(key.revokedAtMs),
      lastUsedAt: toIso(key.lastUsedAtMs),
      ban: key.ban && toJsonBan(key.ban),
    }
  }

  cells(key: Key): string[] {
    const state = this.#state(key)
    return [
      key.id,
      key.plan,
      String(key.perMinute),
      String(key.perDay),
      state === 'banned' ? `banned until ${toMinute(key.ban?.untilMs)}` : state,
      toMinute(key.createdAtMs),
      toMinute(key.expiresAtMs),
      toMinute(key.lastUsedAtMs),
      printable(key.label),
    ]
  }

  /** All that is known of a key; `successor` is the newest of its lineage, if that is another one. */
  text(key: Key, successor: Key | undefined): string {
    const state = this.#state(key)
    const lines: readonly (readonly [string, string | undefined])[] = [
      ['Key', key.id],
      ['Label', key.label === '' ? '-' : printable(key.label)],
      ['Plan', `${key.plan}: ${key.perMinute} requests a minute, ${key.perDay} a day`],
      ['State', state === 'banned' ? `banned until ${toIso(key.ban?.untilMs)}` : state],
      ['Bans', key.ban && banText(key.ban)],
      ['Created', toIso(key.createdAtMs)],
      ['Expires', toIso(key.expiresAtMs)],
      ['Revoked', toIso(key.revokedAtMs)],
      ['Last used', key.lastUsedAtMs === undefined ? 'never' : toMinute(key.lastUsedAtMs)],
      ['Replaced by', successor?.id],
    ]
    return lines.map(([name, value]) => (value === undefined ? '' : `${name.padEnd(13)}${value}\n`)).join('')
  }

  #state(key: Key) {
    const nowMs = this.#clock.now()
    return stateOf(key, nowMs, banOf(key, nowMs) !== undefined)
  }
}

/** How often, when last, and why. */
function banText({ count, atMs, untilMs, refusals, withinMs, window, limit }: Ban): string {
  const when = `${toIso(atMs)} until ${toIso(untilMs)}`
  const why = `${refusals} requests refused within ${withinMs / 1_000} s after the ${limit} of a ${window} were used up`
  return `${count}, the last from ${when}: ${why}`
}

function toJsonBan({ atMs, untilMs, refusals, withinMs, window, limit, count }: Ban) {
  const seconds = withinMs / 1_000
  return { beganAt: toIso(atMs), untilAt: toIso(untilMs), refusals, withinSeconds: seconds, window, limit, count }
}

/** The text may be a key itself, pasted in the place of its id: it is not repeated. */
export function unknownKey(id: string): string {
  if (id.startsWith('pets_')) return 'This is a key, not the id of one; `pets keys list` shows the ids.'
  return `There is no key ${printable(id)}; \`pets keys list\` shows those there are.`
}
