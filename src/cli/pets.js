#!/usr/bin/env node
/**
 * What starts the `pets` command. Plain JavaScript, because node keeps compiled code from here on: from the second start on
 * it finds everything without its types, and does not load what takes them out, which takes longer than the rest of this.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
await import('./main.ts')
