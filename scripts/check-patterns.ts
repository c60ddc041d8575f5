/** A part of `npm run check`: no regular expression takes more than linear time. */
import { parseSync, Visitor } from 'oxc-parser'
import { analyse } from 'scslre'
import { modules } from '../test/tidy/modules.ts'
import { read } from '../test/tidy/tree.ts'

const JUDGED = /^(?:src|client\/src|conformance\/src)\//

for (const file of modules.filter((file) => JUDGED.test(file))) {
  const text = read(file)
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern: source, flags } = node.regex
      for (const report of analyse({ source, flags }).reports) {
        const { raw } = report.type === 'Trade' ? report.startQuant : report.quant
        const place = `${file}:${text.slice(0, node.start).split('\n').length}`
        const what = `/${source}/${flags} can take more than linear time, at ${raw}`
        process.stdout.write(`${place}: ${what}; write it so that each part ends where the next begins.\n`)
        process.exitCode = 1
      }
    },
  }).visit(parseSync(file, text).program)
}
