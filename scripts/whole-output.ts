/**
 * Loaded before each file of tests: what it writes to a pipe is written when the call returns. A file is ended with its
 * tests, and what it had not yet written would be lost with them: tests that ran and are not told, with exit 0
 * (nodejs/node#64833).
 */
const { stdout } = process as { readonly stdout: { readonly _handle?: { setBlocking?(isBlocking: boolean): void } } }
stdout._handle?.setBlocking?.(true)
