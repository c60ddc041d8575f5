/** Options and refusals that several commands share. Each option can also be given as an environment variable (`PETS_…`). */
import { InvalidArgumentError, Option } from 'commander'

/** A command could not do what was asked; the message is one sentence that says what to do. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

export function option(flags: string, description: string): Option {
  const made = new Option(flags, description)
  return made.env(`PETS_${made.name().replaceAll('-', '_').toUpperCase()}`)
}

export function databaseOption(): Option {
  return option('--database <url>', 'sqlite:PATH or postgres://…').default('sqlite:data/pets.db')
}

/** A parser of whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/** An instant as ISO 8601 with a time zone, in Unix ms. */
export function instant(text: string): number {
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw new InvalidArgumentError(
    'It must be an ISO 8601 date or time with zone, such as 2027-01-31 or 2027-01-31T12:00:00Z.',
  )
}
