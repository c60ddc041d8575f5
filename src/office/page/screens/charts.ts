/** The charts of the dashboard: their lines, units, and how each value is computed from a sample. */

import type { Sample } from '../../../operator/dashboard-data.ts'
import { figure } from './figures.ts'

interface Line {
  readonly name: string
  /** The name of a colour in the style sheet. */
  readonly colour: string
  readonly value: (sample: Sample) => number | undefined
  /** Uses the axis on the right. */
  readonly onRight?: true
}

export interface Chart {
  readonly title: string
  /** The unit of the left axis. */
  readonly unit: string
  /** The unit of the right axis. */
  readonly rightUnit?: string
  readonly lines: readonly Line[]
  /** Says what makes up the latest value. */
  readonly explain?: (sample: Sample) => string
}

const MEBIBYTE = 2 ** 20

/** Responses per second, by operation and status. */
function requests(fits: (operation: string, status: string) => boolean): (sample: Sample) => number {
  return ({ requests }) => {
    let sum = 0
    for (const [name, rate] of Object.entries(requests)) {
      const [operation = '', status = ''] = name.split(' ')
      if (fits(operation, status)) sum += rate
    }
    return sum
  }
}

export const allRequests = requests(() => true)

export function allRefused({ refused }: Sample) {
  return Object.values(refused).reduce((sum, rate) => sum + rate, 0)
}

function byOperation(operation: string, colour: string): Line {
  return { name: operation, colour, value: requests((of) => of === operation) }
}

function byStatus(name: string, colour: string, fits: (status: string) => boolean): Line {
  return { name, colour, value: requests((_, status) => fits(status)) }
}

function byPlan(plan: string, colour: string): Line {
  return { name: plan, colour, value: ({ refused }) => refused[plan] ?? 0 }
}

/** Names of requests for no operation and no page, by status. */
const OTHER: Readonly<Record<string, string>> = {
  204: 'questions of browsers before a call (204)',
  400: 'malformed requests (400)',
  401: 'without a valid key (401)',
  404: 'unknown paths (404)',
  405: 'methods that a path does not have (405)',
  408: 'requests that came too slowly (408)',
  429: 'refused for their limits (429)',
  431: 'headers too large (431)',
  501: 'unknown methods, and orders (501)',
}

function explainOther({ requests }: Sample) {
  const parts = Object.entries(requests).flatMap(([name, rate]) => {
    const [operation, status = ''] = name.split(' ')
    return operation === 'other' ? [`${OTHER[status] ?? `status ${status}`} ${figure(rate, '/s')}`] : []
  })
  return parts.length === 0
    ? 'Other: paths, methods and questions that are none of the operations. None now.'
    : `Other: ${parts.join(', ')}.`
}

export const CHARTS: readonly Chart[] = [
  {
    title: 'Requests by operation',
    unit: '/s',
    explain: explainOther,
    lines: [
      byOperation('listPets', 'green'),
      byOperation('createPet', 'violet'),
      byOperation('getPet', 'blue'),
      byOperation('other', 'grey'),
      byOperation('page', 'amber'),
    ],
  },
  {
    title: 'Requests by status',
    unit: '/s',
    lines: [
      byStatus('200', 'green', (status) => status === '200'),
      byStatus('201', 'violet', (status) => status === '201'),
      byStatus('429', 'amber', (status) => status === '429'),
      byStatus('other 4xx', 'blue', (status) => status.startsWith('4') && status !== '429'),
      byStatus('5xx', 'red', (status) => status.startsWith('5')),
    ],
  },
  {
    title: 'Latency',
    unit: 'ms',
    lines: [
      { name: 'p50', colour: 'green', value: ({ p50Ms }) => p50Ms },
      { name: 'p99', colour: 'amber', value: ({ p99Ms }) => p99Ms },
    ],
  },
  {
    title: 'Refusals by plan',
    unit: '/s',
    lines: [
      byPlan('free', 'green'),
      byPlan('pro', 'blue'),
      byPlan('business', 'violet'),
      byPlan('enterprise', 'amber'),
      byPlan('anonymous', 'grey'),
    ],
  },
  {
    title: 'Animals by status',
    unit: '',
    lines: [
      { name: 'available', colour: 'green', value: ({ animals }) => animals?.available },
      { name: 'pending', colour: 'amber', value: ({ animals }) => animals?.pending },
      { name: 'sold', colour: 'violet', value: ({ animals }) => animals?.sold },
      { name: 'without', colour: 'grey', value: ({ animals }) => animals?.none },
    ],
  },
  {
    title: 'Commits of new animals',
    unit: '/s',
    rightUnit: 'a commit',
    lines: [
      { name: 'commits', colour: 'violet', value: ({ commits }) => commits },
      { name: 'animals', colour: 'amber', value: ({ rowsPerCommit }) => rowsPerCommit, onRight: true },
    ],
  },
  {
    title: 'Delay of the event loop',
    unit: 'ms',
    lines: [{ name: 'p99', colour: 'blue', value: ({ loopDelayMs }) => loopDelayMs }],
  },
  {
    title: 'Memory',
    unit: 'MiB',
    lines: [
      { name: 'resident', colour: 'blue', value: ({ rssBytes }) => rssBytes / MEBIBYTE },
      { name: 'JavaScript heap', colour: 'green', value: ({ heapBytes }) => heapBytes / MEBIBYTE },
    ],
  },
]
