/** What the parts of `npm run test:long` share: options, seed, and how to play a failure again. */
import { parseArgs } from 'node:util'
import { newSeed } from '../support/random.ts'

export class Finding extends Error {}

export interface Failure {
  readonly message: string
  readonly lines?: readonly string[]
  /** Options that play it again, where they are not those of the run. */
  readonly again: Readonly<Record<string, string | number>>
}

interface Played {
  readonly of: string
  readonly figures: Readonly<Record<string, number>>
  readonly failure: Failure | undefined
}

/** `usual`: the options of the part, and what they are unless told; '' for one that is not there. */
export async function runPart<Options extends Record<string, string>>(
  part: string,
  usual: Options,
  play: (options: Options, seed: number) => AsyncIterable<Played>,
): Promise<void> {
  const options = Object.entries({ ...usual, seed: String(newSeed()) }).map(
    ([name, value]) => [name, { type: 'string', default: value }] as const,
  )
  const values = parseArgs({ options: Object.fromEntries(options) }).values as Options & { readonly seed: string }
  /** Nothing else may keep this process alive while it waits for those that it has started. */
  const waiting = setInterval(() => {}, 60_000)
  let startMs = performance.now()
  for await (const { of, figures, failure } of play(values, Number(values.seed))) {
    const facts = Object.entries(figures).map(([what, n]) => `${n} ${what}`)
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
    console.log(`${of}: ${facts.join(', ')}, ${seconds} s, seed ${values.seed}`)
    startMs = performance.now()
    if (failure === undefined) continue
    const { message, lines = [], again } = failure
    const line = Object.entries({ ...values, ...again }).map(([name, value]) =>
      value === '' ? '' : ` --${name} ${value}`,
    )
    console.error([message, '', ...lines, '', `Again: npm run test:long -- --only ${part}${line.join('')}`].join('\n'))
    process.exitCode = 1
  }
  clearInterval(waiting)
}
