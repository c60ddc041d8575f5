/**
 * Whether work grows faster than the text: by the time of this thread's processor, not of a clock, and by how it grows
 * when the text is eight times as long. A square is 64 times as much work, which no busy machine makes 24.
 */
import assert from 'node:assert/strict'

const SIZES = [1_000, 8_000, 64_000] as const
const MOST_TIMES = 24
/** Some systems count the time of a thread in steps of so much. */
const STEP_US = 4_000
/** The long text is not run if the short one takes so much: it would take half a minute. */
const MOST_US = 500_000
const TRIES = 4

/** Makes a text of about a length. */
export type Text = (length: number) => string

export function repeated(text: string, before = '', end = ''): Text {
  return (length) => before + text.repeat(Math.ceil(length / Math.max(1, text.length))) + end
}

const UNITS = [
  ...[' ', '\t', '\n', '\r', '\r\n', '\u00a0', '\u2028', '\v', ', ', '; ', ' \t', '\t"', ';"'],
  ...[',', ';', ':', '|', '.', '/', '\\', '-', '--', '=', '+', '@', '#', '?', '&', '&a=', '*', '_', '`', '~', '^', '$'],
  ...[
    '"',
    '""',
    "'",
    '\\"',
    '"a',
    '(',
    '[',
    '{',
    '{"a":',
    '[{',
    ')',
    '<',
    '<>',
    '<a ',
    '<!--',
    '%',
    '%4',
    '%41',
    '%c3',
  ],
  ...['0', '9', '0.', '1:', '1/', '-1', 'e', '\\u0041', 'a', 'A', 'aA', 'a ', 'a-', "a'", 'dog', 'adopted ', 'Animal,'],
  ...['\u0301', '\u0301\u0323', '\u0591\u05ae', 'e\u0301', 'é', '\u1e69', '\u09cb', '中', '\ufdfa', '\u200d', '\u200b'],
  ...['\u0000', '\u001b[', '\u009b', '\u202e', '\ud800', '\u{1f43e}', '\u{1f469}\u200d'],
]
/** Texts that are hard on what reads a text from outside: separators, quotes, digits, marks, what almost matches. */
export const REPEATED: readonly Text[] = UNITS.map((unit) => repeated(unit))
const HOSTILE = [...REPEATED, ...UNITS.map((unit) => repeated(unit, 'x', '\u0000x'))]

/** Fails if the work on one of the texts is steep. A text may be refused: that is an answer too. */
export async function assertEven(
  what: string,
  work: (text: string) => unknown,
  texts: readonly Text[] = HOSTILE,
): Promise<void> {
  const run = async (text: string) => {
    try {
      await work(text)
    } catch {}
  }
  for (const text of texts) {
    const found = await steepness(run, text)
    assert.equal(found, undefined, `${what} on ${JSON.stringify(text(20).slice(0, 99))}: ${found}`)
  }
}

/** Undefined if the work of `run` grows as its text does, or else how it grows. */
async function steepness(run: (text: string) => unknown, text: Text): Promise<string | undefined> {
  const [tiny, short, long] = SIZES.map(text) as [string, string, string]
  await run(tiny)
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let tries = 0; tries < TRIES; tries += 1) {
    few = Math.min(few, Math.max(STEP_US, await microseconds(run, short)))
    if (few > MOST_US) return `${few} µs for ${SIZES[1]} characters`
    many = Math.min(many, await microseconds(run, long))
    if (many < MOST_TIMES * few) return undefined
  }
  return `${few} µs for ${SIZES[1]} characters, ${many} µs for ${SIZES[2]}`
}

async function microseconds(run: (text: string) => unknown, text: string): Promise<number> {
  const before = process.threadCpuUsage()
  await run(text)
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}
