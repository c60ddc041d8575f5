/** Asks a process (process.ts) to sync a list. */
import { ExplainedError } from '../../common/errors.ts'
import { startApart } from '../../common/program.ts'
import { ListRefused } from './sync-list.ts'

export interface ListMessage {
  readonly kind: 'done' | 'refused' | 'put off' | 'failed'
  readonly text: string
  /** In lines. */
  readonly problems: readonly string[]
}

/** Nothing was done, for reasons that may pass. */
class ListPutOff extends ExplainedError {
  override readonly name = 'ListPutOff'
}

interface Task {
  readonly database: string
  readonly rowLimit: number
  readonly signal: AbortSignal
  readonly noteProblem: (text: string) => void
}

/** Returns what was done, in a line. Throws ListRefused, and ListPutOff if it is to be tried again. */
export async function requestSync(list: string, { database, rowLimit, signal, noteProblem }: Task): Promise<string> {
  if (signal.aborted) throw new ListPutOff('The service is ending.')
  const env = { PETS_LIST_DATABASE: database }
  const child = startApart('src/service/lists/process', [list, String(rowLimit)], env)
  let answer: ListMessage | undefined
  child.onMessage((sent) => {
    answer = sent as ListMessage
  })
  const kill = () => child.kill()
  signal.addEventListener('abort', kill)
  try {
    await child.ended
  } finally {
    signal.removeEventListener('abort', kill)
  }
  const { kind, text, problems }: ListMessage = answer ?? {
    kind: 'put off',
    text: 'It was cut off before it was done or told.',
    problems: [],
  }
  for (const problem of problems) noteProblem(problem)
  if (kind === 'done') return text
  if (kind === 'refused') throw new ListRefused(text)
  if (kind === 'put off') throw new ListPutOff(text)
  throw new Error(text)
}
