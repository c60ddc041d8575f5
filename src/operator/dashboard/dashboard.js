/** The operator's dashboard: first the samples of the last hour, then each new sample as it is taken. */
import { allRefused, allRequests, CHARTS } from './charts.js'
import { showKeys } from './keys.js'
import { figure, plot } from './plot.js'

/** @import { Sample } from '../dashboard-data.ts' */

const HOUR_MS = 3_600_000
const KEYS_EVERY_MS = 10_000

const place = document.getElementById('charts')
const now = document.getElementById('now')
const connection = document.getElementById('connection')
if (place === null || now === null || connection === null) throw new Error('the page lacks its parts')

/** @type {readonly { name: string, value: (sample: Sample) => string }[]} */
const FIGURES = [
  { name: 'requests per second', value: (sample) => figure(allRequests(sample)) },
  { name: 'latency, p99', value: ({ p99Ms }) => figure(p99Ms, 'ms') },
  { name: 'refused per second', value: (sample) => figure(allRefused(sample)) },
  { name: 'animals', value: ({ animals }) => animalsInAll(animals) },
  { name: 'memory', value: ({ rssBytes }) => figure(rssBytes / 2 ** 20, 'MiB') },
]

const draw = CHARTS.map((chart) => plot(place, chart))
const figures = FIGURES.map(({ name, value }) => {
  const pair = document.createElement('div')
  const term = document.createElement('dt')
  const said = document.createElement('dd')
  term.textContent = name
  said.textContent = '–'
  pair.append(term, said)
  now.append(pair)
  return { said, value }
})

/** @type {Sample[]} */
let samples = []

function show() {
  const latest = samples.at(-1)
  if (latest === undefined) return
  for (const { said, value } of figures) said.textContent = value(latest)
  if (!document.hidden) for (const drawSamples of draw) drawSamples(samples)
}

/** @param {Sample['animals']} counts */
function animalsInAll(counts) {
  if (counts === undefined) return '–'
  return new Intl.NumberFormat('en').format(Object.values(counts).reduce((sum, n) => sum + n, 0))
}

/** @param {string} sentence @param {boolean} isLive */
function tell(sentence, isLive) {
  if (connection === null) return
  connection.textContent = sentence
  connection.classList.toggle('live', isLive)
}

const events = new EventSource('dashboard/events')
events.addEventListener('open', () => tell('Live', true))
events.addEventListener('error', () => tell('Not connected; trying again …', false))
events.addEventListener('history', ({ data }) => {
  samples = JSON.parse(data)
  show()
})
events.addEventListener('sample', ({ data }) => {
  /** @type {Sample} */
  const sample = JSON.parse(data)
  samples = [...samples.filter(({ atMs }) => atMs > sample.atMs - HOUR_MS), sample]
  show()
})

document.addEventListener('visibilitychange', show)
setInterval(() => {
  if (!document.hidden) void showKeys()
}, KEYS_EVERY_MS)
await showKeys()
