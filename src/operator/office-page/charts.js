/** The charts: the lines of each, and where their values are in a sample. */

/** @import { Sample } from '../dashboard-data.ts' */

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string} colour name of a colour of the style sheet
 * @property {(sample: Sample) => number | undefined} value
 * @property {string} [unit] stands behind a value
 * @property {true} [onRight] measured by an axis of its own
 */

/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {readonly Line[]} lines
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

/** @type {readonly Chart[]} */
export const CHARTS = [
  {
    title: 'Requests per second by operation',
    lines: [
      byOperation('listPets', 'green'),
      byOperation('createPet', 'violet'),
      byOperation('getPet', 'blue'),
      byOperation('other', 'grey'),
      byOperation('page', 'amber'),
    ],
  },
  {
    title: 'Requests per second by status',
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
    lines: [
      { name: 'p50', colour: 'green', unit: 'ms', value: ({ p50Ms }) => p50Ms },
      { name: 'p99', colour: 'amber', unit: 'ms', value: ({ p99Ms }) => p99Ms },
    ],
  },
  {
    title: 'Refusals per second by plan',
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
    lines: [
      { name: 'available', colour: 'green', value: ({ animals }) => animals?.available },
      { name: 'pending', colour: 'amber', value: ({ animals }) => animals?.pending },
      { name: 'sold', colour: 'violet', value: ({ animals }) => animals?.sold },
      { name: 'without', colour: 'grey', value: ({ animals }) => animals?.none },
    ],
  },
  {
    title: 'Commits',
    lines: [
      { name: 'per second', colour: 'violet', value: ({ commits }) => commits },
      { name: 'rows per commit', colour: 'amber', value: ({ rowsPerCommit }) => rowsPerCommit, onRight: true },
    ],
  },
  {
    title: 'Event-loop delay',
    lines: [{ name: 'p99', colour: 'blue', unit: 'ms', value: ({ loopDelayMs }) => loopDelayMs }],
  },
  {
    title: 'Memory',
    lines: [
      { name: 'resident', colour: 'blue', unit: 'MiB', value: ({ rssBytes }) => rssBytes / MEBIBYTE },
      { name: 'JavaScript heap', colour: 'green', unit: 'MiB', value: ({ heapBytes }) => heapBytes / MEBIBYTE },
    ],
  },
]
