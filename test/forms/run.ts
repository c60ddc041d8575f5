/** Every pair of features of a request, then forms at random. */
import { runPart } from '../histories/part.ts'
import { playForms } from './play.ts'

await runPart('forms', { requests: '40000' }, async function* ({ requests }, seed) {
  const plan = { seed, atMost: Number.POSITIVE_INFINITY, answers: Number(requests), mostFindings: 20 }
  const { answers, findings } = await playForms(plan)
  const message = findings.map(({ form, wrong }) => `${wrong}\n  ${JSON.stringify(form)}`).join('\n')
  yield {
    of: 'forms',
    figures: { answers, findings: findings.length },
    failure: message === '' ? undefined : { message, again: {} },
  }
})
