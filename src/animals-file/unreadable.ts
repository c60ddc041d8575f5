/** A file of animals that cannot be read: not one bad row, but from some line on nothing can be understood. */

export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
  /** What is wrong and where, without the advice. */
  readonly what: string

  /** `advice` is a sentence for somebody at a command line, who can set options. */
  constructor(what: string, advice?: string) {
    super(advice === undefined ? what : `${what} ${advice}`)
    this.what = what
  }
}
