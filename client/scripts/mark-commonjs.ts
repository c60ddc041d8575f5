/** Says of the files in dist/commonjs/ that they are CommonJS modules, though the package is one of ES modules. */
import { writeFile } from 'node:fs/promises'

await writeFile(`${import.meta.dirname}/../dist/commonjs/package.json`, '{ "type": "commonjs" }\n')
