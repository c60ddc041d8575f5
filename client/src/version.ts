/** Written by scripts/generate-version.ts from package.json: change it there, then run `npm run generate`. */
export const VERSION = '2.1.0'
