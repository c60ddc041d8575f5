/** A part of `npm run check`: no regular expression of the code takes more than linear time, whatever the text is. */
import { analyse } from 'scslre'
import { patterns } from '../test/growth/code.ts'

for (const { place, source, flags } of patterns) {
  for (const report of analyse({ source, flags }).reports) {
    const { raw } = report.type === 'Trade' ? report.startQuant : report.quant
    const what = `/${source}/${flags} can take more than linear time, at ${raw}`
    process.stdout.write(`${place}: ${what}; write it so that each part ends where the next begins.\n`)
    process.exitCode = 1
  }
}
