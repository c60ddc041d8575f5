/** Starts `pets` from plain JavaScript, so that a second start finds every module in the compile cache. */
import { keepCompiledCode } from './compile-cache.js'

keepCompiledCode()
await import('./pets.ts')
