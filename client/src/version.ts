/** Written by scripts/generate-version.ts from package.json: change it there, then run `npm run generate`. */
export const VERSION = '3.0.0'
