/**
 * How the service is started (npm start, deploy/): as `pets`, but from plain JavaScript. Node keeps compiled code from here
 * on, so the second start finds even the first TypeScript without its types and does not load what takes them out. `npx pets`
 * comes in by pets.ts, because npx remembers the file that it linked once.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
await import('./pets.ts')
