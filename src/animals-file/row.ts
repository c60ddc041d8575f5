/** The result of reading a row: an animal or problems; the options for reading; the errors of a file. */
import { counted } from '../common/counted.ts'
import { ExplainedError } from '../common/errors.ts'
import { printable } from '../common/printable.ts'
import type { Checked } from '../contract/validate.ts'
import { doneWord } from '../rules/imports.ts'
import type { FileRow } from '../store/staging.ts'
import type { Categories } from './categories.ts'
import type { Mapping } from './mapping.ts'

/** Either an animal, or the problems of the row at `line` (counted from 1). */
export type CheckedRow = { readonly line: number } & Checked<FileRow>

/** A record of a table, whatever the file, and the line or row of its end, counted from 1. */
export type TableRecord = { readonly line: number; readonly record: readonly string[] }

export interface Layout {
  /** A heading that is there several times has its number behind it: "Status", "Status (2)". */
  readonly header: readonly string[]
  /** The last line of the heading. The animals begin below it. */
  readonly headerLine: number
  /** The lines above the heading that are not blank. */
  readonly above: readonly { readonly line: number; readonly text: string }[]
  readonly sample: readonly (readonly string[])[]
}

/** A record of a file before its columns are known, why it cannot be read, or an object that is not of the list. */
export type SourceItem =
  | TableRecord
  | { readonly line: number; readonly problem: string }
  | { readonly line: number; readonly isOther: true }

/** A file as a table. */
export interface Source {
  /** What kind of file it is, as in "Read as UTF-8, CSV with commas". */
  readonly format: string
  readonly layout: Layout
  /** All records from the first line on, those of a piece of the file together. */
  readonly items: AsyncIterable<readonly SourceItem[]>
  /** Ends a thread that reads the file, also if its items are not asked for. */
  readonly close?: () => Promise<unknown>
}

export interface ReadOptions {
  /** The maximum size of a row in bytes, which bounds memory and time for any file. */
  readonly rowLimit: number
  /** Each row has the id of its animal. */
  readonly withIds: boolean
  readonly mapping: Mapping
  /** Whether bad rows are left out; otherwise a file with bad rows is refused. */
  readonly skipInvalid?: boolean
  /** Whether animals are identified by references, so that each row must have one. */
  readonly isSync?: boolean
  /** The heading of the reference column, or the member name in NDJSON. */
  readonly reference?: string | undefined
  /** Resolves names of categories; without it a category must be a number. */
  readonly categories?: Categories
  /** The file's name, which may name the species of its animals. */
  readonly source?: string
}

/** A message shows at most this much of a value, in UTF-16 units. */
const MAX_EXCERPT = 60

export function excerpt(value: string): string {
  const text = value.trim()
  return `"${printable(text.slice(0, MAX_EXCERPT))}${text.length > MAX_EXCERPT ? '…' : ''}"`
}

/** What an iterator gives, behind what was taken from it already. */
export async function* withFirst<T>(first: T, rest: AsyncIterator<T>): AsyncGenerator<T> {
  yield first
  yield* { [Symbol.asyncIterator]: () => rest }
}

/** A heading or a word of the file on one line. */
export function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** The file, or the rest of it, cannot be understood. A single bad row does not throw this. */
export class UnreadableFile extends ExplainedError {
  override readonly name = 'UnreadableFile'
  /** What is wrong and where, without the advice. */
  readonly what: string

  /** `advice`: a sentence for users of the command line, who can set options. */
  constructor(what: string, advice?: string) {
    super(advice === undefined ? what : `${what} ${advice}`)
    this.what = what
  }
}

/** The file has bad rows, and `skipInvalid` is not set. */
export class BadRows extends Error {
  override readonly name = 'BadRows'
  /** What can be done, without a full stop; a command names its option. */
  readonly advice: string

  constructor(badRows: number, isSync?: boolean) {
    super(`Nothing was ${doneWord(isSync)}: the file has ${counted(badRows, 'bad row')}.`)
    this.advice = `Correct them${isSync ? ' and try again' : ', or leave them out'}`
  }
}
