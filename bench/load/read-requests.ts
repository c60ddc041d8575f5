/** Reads the file of requests that `workloads.ts` writes, for the generators that run in Node. */
import { readFileSync } from 'node:fs'

interface PlannedRequest {
  readonly method: string
  readonly target: string
  readonly body: string
}

export function readRequests(path: string): PlannedRequest[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const [method = '', target = '', body = ''] = line.split('\t')
    return { method, target, body }
  })
}
