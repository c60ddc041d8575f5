/**
 * How the service is started (npm start, deploy/): as `pets`, but from plain JavaScript, so the second start finds even the
 * first TypeScript in the compile cache and does not load what takes types out. `npx pets` comes in by pets.ts, because npx
 * remembers the file that it linked once.
 */
import { keepCompiledCode } from './compile-cache.js'

keepCompiledCode()
await import('./pets.ts')
