/**
 * Starts `pets` from plain JavaScript, so that a second start finds every module in the compile cache. `npx pets` uses
 * pets.ts, because npx remembers the file that it linked once.
 */
import { keepCompiledCode } from './compile-cache.js'

keepCompiledCode()
await import('./pets.ts')
