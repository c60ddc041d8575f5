#!/usr/bin/env node
/** Every pair of features of a request, then forms at random: `npm run test:long -- --only forms --requests N`. */
import { parseArgs } from 'node:util'
import { playForms } from './play.ts'

const { values } = parseArgs({ options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string' } } })
const seed = Number(values.seed ?? Date.now() % 0x7fffffff)
const begun = performance.now()
const { answers, findings } = await playForms({
  seed,
  atMost: Number.POSITIVE_INFINITY,
  answers: Number(values.requests),
  mostFindings: 20,
})
for (const { form, wrong } of findings) process.stdout.write(`${wrong}\n  ${JSON.stringify(form)}\n`)
const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
process.stdout.write(`${answers} answers, ${findings.length} findings, ${seconds} s, seed ${seed}\n`)
process.exit(findings.length === 0 ? 0 : 1)
