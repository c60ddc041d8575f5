/** What tests need that run commands as documents and reports show them. */
import { findProgram, skipUnless } from './programs.ts'

/** For `test({ ...shellNeeded })`. */
export const shellNeeded = skipUnless(
  ['bash', 'curl'].every((program) => findProgram(program) !== undefined),
  'there is no bash or no curl on the path; install them',
)
