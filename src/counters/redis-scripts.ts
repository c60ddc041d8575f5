/**
 * The scripts that decide and count in Redis or Valkey (R14-R17), like ../contract/limits.ts for several requests of one
 * subject. A subject is one hash, which expires after its windows and its ban.
 */
import { type CommandParser, defineScript } from '@redis/client'
import type { Limits } from '../contract/limits.ts'

const SCRIPT = `
local day_ms = 86400000
-- The number of the window that the subject is in: time does not run backwards for it, unless by more than a day.
local window_at = function(now, length, entered)
  local window = math.floor(now / length)
  if entered > window and entered - window <= day_ms / length then return entered end
  return window
end

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local n, per_minute, per_day = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local ban_refusals, ban_within, ban_for = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])

local stored = redis.call('HMGET', KEYS[1], 'minute', 'minute_count', 'day', 'day_count', 'banned_until', 'ban_limit', 'refused_at')
local minute, minute_count = tonumber(stored[1]) or 0, tonumber(stored[2]) or 0
local day, day_count = tonumber(stored[3]) or 0, tonumber(stored[4]) or 0
local banned_until, ban_limit = tonumber(stored[5]) or 0, tonumber(stored[6]) or 0
local refusals = {}
if ban_refusals then
  for at in string.gmatch(stored[7] or '', '%d+') do
    if tonumber(at) > now - ban_within and tonumber(at) <= now + day_ms then refusals[#refusals + 1] = at end
  end
end
local before = { now, minute, minute_count, day, day_count, #refusals, banned_until, ban_limit }
local banned = ban_for and banned_until > now and banned_until - now <= ban_for + day_ms
if n == 0 or banned then return before end

local now_minute, now_day = window_at(now, 60000, minute), window_at(now, day_ms, day)
if minute ~= now_minute then minute, minute_count = now_minute, 0 end
if per_day and day ~= now_day then day, day_count = now_day, 0 end
local left = per_minute - minute_count
if per_day then left = math.min(left, per_day - day_count) end
local admitted = math.max(0, math.min(n, left))
minute_count = minute_count + admitted
if per_day then day_count = day_count + admitted end

local digits = function(number) return string.format('%.0f', number) end
local fields = { 'minute', digits(minute), 'minute_count', digits(minute_count) }
local set = function(name, value)
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
local keep_until = (minute + 2) * 60000
if per_day then
  set('day', digits(day))
  set('day_count', digits(day_count))
  keep_until = (day + 2) * day_ms
end
local refused = n - admitted
if ban_refusals and refused > 0 then
  if #refusals + refused >= ban_refusals then
    banned_until = now + ban_for
    set('banned_until', digits(banned_until))
    set('ban_limit', digits(per_day and day_count >= per_day and per_day or per_minute))
    refusals = {}
  else
    for i = 1, refused do refusals[#refusals + 1] = digits(now) end
    keep_until = math.max(keep_until, now + ban_within)
  end
  set('refused_at', table.concat(refusals, ' '))
end
redis.call('HSET', KEYS[1], unpack(fields))
local ttl = math.max(keep_until, banned_until) - now
if redis.call('PTTL', KEYS[1]) < ttl then redis.call('PEXPIRE', KEYS[1], digits(ttl)) end
return before
`

/** Lifts only the ban with this end. */
export const unbanScript = defineScript({
  SCRIPT: `
if redis.call('HGET', KEYS[1], 'banned_until') == ARGV[1] then redis.call('HSET', KEYS[1], 'banned_until', '0') end
`,
  NUMBER_OF_KEYS: 1,
  IS_READ_ONLY: false,
  parseCommand(parser: CommandParser, key: string, untilMs: number) {
    parser.pushKey(key)
    parser.push(String(untilMs))
  },
  transformReply: () => {},
})

/** Without a time, the server's clock is used. Returns values in the order of `toCounterBefore`. */
export const consumeScript = defineScript({
  SCRIPT,
  NUMBER_OF_KEYS: 1,
  IS_READ_ONLY: false,
  parseCommand(
    parser: CommandParser,
    key: string,
    nowMs: number | undefined,
    count: number,
    { perMinute, perDay, ban }: Limits,
  ) {
    parser.pushKey(key)
    for (const value of [nowMs, count, perMinute, perDay, ban?.refusals, ban?.withinMs, ban?.forMs]) {
      parser.push(value === undefined ? '' : String(value))
    }
  },
  transformReply: (reply: number[]) => reply,
})
