/** Plays forms against the service in this process, over real sockets and a real file, with a clock of its own. */
import { startApp } from '../support/app.ts'
import { newCertificate } from '../support/certificate.ts'
import { seededRandom } from '../support/random.ts'
import type { Form } from './features.ts'
import { Judge } from './judge.ts'
import { allPairs, anyForm, eachPath, eachValue } from './pairs.ts'

/** A service gets so many forms before another one begins: the model copies its world with each. */
const FORMS_EACH = 400
/** Services side by side, each with clients of its own: most of the time is waiting. Some of them speak TLS. */
const LANES = 8
const SECURE_LANES = 2
const ANONYMOUS_PER_MINUTE = 30
const TIMEOUTS = { headersMs: 300_000, requestMs: 300_000, sendMs: 300_000 }
/** Between two forms, in ms: most stay in the window of the one before. */
const STEPS_MS = [0, 0, 1, 999, 1_000, 7_000, 61_000]

interface Played {
  readonly answers: number
  readonly findings: readonly { readonly form: Form; readonly wrong: string }[]
}

interface Plan {
  readonly seed: number
  /** Each value, so many of all pairs, and then as many forms at random as there must be answers. */
  readonly atMost: number
  readonly answers: number
  readonly mostFindings: number
}

export async function playForms({ seed, atMost, answers, mostFindings }: Plan): Promise<Played> {
  const random = seededRandom(seed)
  const drawn = [...allPairs(random).slice(0, atMost), ...eachValue(random)]
  const findings: { form: Form; wrong: string }[] = []
  let answered = 0
  const isDone = () => findings.length >= mostFindings || (drawn.length === 0 && answered >= answers)
  const ofOneWorld = function* () {
    for (let played = 0; played < FORMS_EACH && !isDone(); played += 1) yield drawn.pop() ?? anyForm(random)
    // By now there are animals of many kinds: whether they come in order can be seen.
    yield* eachPath()
  }
  const tls = newCertificate()
  const lane = async (_: unknown, n: number) => {
    const isSecure = n < SECURE_LANES
    while (!isDone()) {
      await using app = await startApp({
        writesApart: true,
        anonymousPerMinute: ANONYMOUS_PER_MINUTE,
        timeouts: TIMEOUTS,
        tls: isSecure ? tls : undefined,
      })
      const judge = await Judge.over(app, isSecure, ANONYMOUS_PER_MINUTE)
      for (const form of ofOneWorld()) {
        app.clock.nowMs += STEPS_MS[Math.floor(random() * STEPS_MS.length)] ?? 0
        const before = judge.answers
        const wrong = await judge.holds(form)
        answered += judge.answers - before
        if (wrong === undefined) continue
        findings.push({ form, wrong })
        break // the world may not be the model's any more
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return { answers: answered, findings }
}
