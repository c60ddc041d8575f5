/**
 * Starts the service (npm start, deploy/) like `pets`, but from plain JavaScript: the second start then finds even the
 * first TypeScript module in the compile cache and does not load the type stripper. `npx pets` uses pets.ts, because
 * npx remembers the file that it linked once.
 */
import { keepCompiledCode } from './compile-cache.js'

keepCompiledCode()
await import('./pets.ts')
