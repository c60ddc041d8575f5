/** Errors that are not bugs: a mistake that a person can correct, or a refusal of the system. */

/**
 * An error whose message explains the problem and what to do. A command prints only the message; of any other error it
 * prints the stack.
 */
export class ExplainedError extends Error {
  /** 1: it failed; 2: the command was used wrongly. */
  readonly exitCode: 1 | 2 = 1
}

/** Whether a system call failed, as with ENOSPC or EACCES. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

/** Such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
