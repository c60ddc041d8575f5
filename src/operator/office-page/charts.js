/** The charts of the dashboard: the lines of each, their units, and where their values are in a sample. */

import { figure } from './figures.js'

/** @import { Sample } from '../dashboard-data.ts' */

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string} colour name of a colour of the style sheet
 * @property {(sample: Sample) => number | undefined} value
 * @property {true} [onRight] measured by the axis on the right
 */

/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} unit stands behind a value of the left axis
 * @property {string} [rightUnit] and of the right one
 * @property {readonly Line[]} lines
 * @property {(sample: Sample) => string} [explain] what one of the lines is made of
 */

const MEBIBYTE = 2 ** 20

/**
 * Answers per second whose operation and status fit.
 * @param {(operation: string, status: string) => boolean} fits
 * @returns {(sample: Sample) => number}
 */
function requests(fits) {
  return ({ requests }) => {
    let sum = 0
    for (const [name, rate] of Object.entries(requests)) {
      const [operation = '', status = ''] = name.split(' ')
      if (fits(operation, status)) sum += rate
    }
    return sum
  }
}

/** @param {Sample} sample */
export const allRequests = requests(() => true)

/** @param {Sample} sample */
export function allRefused({ refused }) {
  return Object.values(refused).reduce((sum, rate) => sum + rate, 0)
}

/** @param {string} operation @param {string} colour @returns {Line} */
function byOperation(operation, colour) {
  return { name: operation, colour, value: requests((of) => of === operation) }
}

/** @param {string} name @param {string} colour @param {(status: string) => boolean} fits @returns {Line} */
function byStatus(name, colour, fits) {
  return { name, colour, value: requests((_, status) => fits(status)) }
}

/** @param {string} plan @param {string} colour @returns {Line} */
function byPlan(plan, colour) {
  return { name: plan, colour, value: ({ refused }) => refused[plan] ?? 0 }
}

/** What a request is that is none of the operations and no page, by the status of its answer. @type {Readonly<Record<string, string>>} */
const OTHER = {
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

/** @param {Sample} sample */
function explainOther({ requests }) {
  const parts = Object.entries(requests).flatMap(([name, rate]) => {
    const [operation, status = ''] = name.split(' ')
    return operation === 'other' ? [`${OTHER[status] ?? `status ${status}`} ${figure(rate, '/s')}`] : []
  })
  return parts.length === 0
    ? 'Other: paths, methods and questions that are none of the operations. None now.'
    : `Other: ${parts.join(', ')}.`
}

/** @type {readonly Chart[]} */
export const CHARTS = [
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
