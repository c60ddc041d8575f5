/** Errors that are not bugs: a mistake that a person can correct, or a refusal of the system. */

/** Its message explains the problem and what to do. A command prints the stack of any other error. */
export class ExplainedError extends Error {
  /** 1: it failed; 2: the command was used wrongly. */
  readonly exitCode: 1 | 2 = 1
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

/** Such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
