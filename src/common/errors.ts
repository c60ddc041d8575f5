/** Errors that are not faults of the program: a mistake that a person can correct, or a refusal of the system. */

/**
 * An error whose message is written for the person who asked: a sentence that says what is wrong and what to do. A
 * command prints the message alone and exits with `exitCode`. Any other error is a fault of the program, and its stack
 * is printed.
 */
export class ExplainedError extends Error {
  /** 1: it could not be done; 2: the command was used wrongly. */
  readonly exitCode: 1 | 2 = 1
}

/** Whether a system call failed, as with ENOSPC or EACCES, so that the program is not at fault. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

/** The code of an error, such as ENOENT; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
