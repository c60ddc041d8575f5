/** The version of this software; package.json is the one place that states it. */
import manifest from '../package.json' with { type: 'json' }

export const VERSION: string = manifest.version
