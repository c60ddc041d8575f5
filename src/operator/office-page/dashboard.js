/**
 * The dashboard: what the service does now and did in the last hour, the keys used most, backups, and what is in trouble. Figures
 * come as events; while none come, those shown are dimmed and dated, and the page tries again until they do.
 */
import { CallFailed, get } from './api.js'
import { allRefused, allRequests, CHARTS } from './charts.js'
import { make, typed } from './elements.js'
import { exactTime, figure, spanWord } from './figures.js'
import { keepFresh } from './fresh.js'
import { meterOf } from './keys.js'
import { plot } from './plot.js'
import { moment, figure as whole } from './words.js'

/** @import { DashboardState, KeyPage } from '../office-data.ts' */
/** @import { Sample } from '../dashboard-data.ts' */
/** @import { Shown } from './screens.js' */

const HOUR_MS = 3_600_000
/** A sample comes every five seconds. */
const SILENCE_MS = 15_000
const RETRY_MS = 5_000
const SHOWN_KEYS = 5

/** @type {readonly { name: string, value: (sample: Sample) => string }[]} */
const FIGURES = [
  { name: 'requests', value: (sample) => figure(allRequests(sample), '/s') },
  { name: 'latency, p99', value: ({ p99Ms }) => figure(p99Ms, 'ms') },
  { name: 'refused', value: (sample) => figure(allRefused(sample), '/s') },
  { name: 'animals', value: ({ animals }) => animalsInAll(animals) },
  { name: 'memory', value: ({ rssBytes }) => figure(rssBytes / 2 ** 20, 'MiB') },
]

/**
 * @param {HTMLElement} container
 * @returns {Shown}
 */
export function showDashboard(container) {
  const dashboard = new Dashboard()
  container.append(...dashboard.elements)
  void dashboard.start()
  const end = keepFresh(() => void dashboard.loadState(true))
  return {
    end() {
      end()
      dashboard.end()
    },
  }
}

class Dashboard {
  /** @type {Sample[]} */
  #samples = []
  /** @type {EventSource | undefined} */
  #events
  #heardMs = 0
  #hasEnded = false
  #watch = 0
  #retry = 0
  /** @type {readonly ReturnType<typeof plot>[]} */
  #plots = []
  #connection = make('p', { class: 'connection', role: 'status' }, 'Connecting …')
  #troubles = make('div', { role: 'status' })
  #said = FIGURES.map(() => make('dd', {}, '–'))
  #live = make('div', { class: 'live' })
  #keys = make('ul', { class: 'most' })
  #backups = make('p')
  #about = make('p', { class: 'quiet' })

  get elements() {
    const heading = make('div', { class: 'heading' }, make('h1', {}, 'Dashboard'), this.#connection)
    const figures = FIGURES.map(({ name }, i) => make('div', {}, make('dt', {}, name), this.#said[i]))
    this.#live.append(make('dl', { class: 'now', 'aria-label': 'Now' }, ...figures))
    const all = make('a', { href: '#keys?sort=used' }, 'All keys, most used first')
    const keys = make('section', { class: 'card' }, make('h2', {}, 'Keys used most today (UTC)'), this.#keys, all)
    const service = make('section', { class: 'card' }, make('h2', {}, 'Backups'), this.#backups, this.#about)
    return [heading, this.#troubles, this.#live, make('div', { class: 'two' }, keys, service)]
  }

  async start() {
    document.addEventListener('visibilitychange', this.#see)
    this.#watch = setInterval(() => this.#tellSilence(), SILENCE_MS / 3)
    void this.loadState()
    this.#connect()
    await loadCharts()
    if (this.#hasEnded) return
    const charts = make('section', { class: 'charts', 'aria-label': 'The last hour' })
    this.#live.append(charts)
    this.#plots = CHARTS.map((chart) => plot(charts, chart))
    this.#draw()
  }

  end() {
    this.#hasEnded = true
    this.#events?.close()
    clearInterval(this.#watch)
    clearTimeout(this.#retry)
    document.removeEventListener('visibilitychange', this.#see)
    for (const { end } of this.#plots) end()
  }

  async loadState(isUnattended = false) {
    try {
      /** @type {[DashboardState, KeyPage]} */
      const [state, used] = await Promise.all([
        get('api/dashboard', { isUnattended }),
        get('api/keys?sort=used', { isUnattended }),
      ])
      this.#showState(state)
      this.#keys.replaceChildren(
        ...used.keys
          .filter(({ day }) => day.used > 0)
          .slice(0, SHOWN_KEYS)
          .map(({ id, label, day }) => make('li', {}, typed(label || id), meterOf('today', day))),
      )
      if (this.#keys.childElementCount === 0) this.#keys.append(make('li', { class: 'quiet' }, 'None yet.'))
    } catch (error) {
      // The connection of the figures says that the service is away.
      if (!(error instanceof CallFailed)) throw error
    }
  }

  /** A browser keeps few connections to one host: pages out of sight would take them from those in use. */
  #see = () => {
    if (!document.hidden) return this.#connect()
    this.#events?.close()
    clearTimeout(this.#retry)
  }

  #connect() {
    this.#events?.close()
    if (document.hidden || this.#hasEnded) return
    const events = new EventSource('api/dashboard/events')
    this.#events = events
    events.addEventListener('history', ({ data }) => {
      this.#samples = JSON.parse(data)
      this.#hear()
    })
    events.addEventListener('sample', ({ data }) => {
      /** @type {Sample} */
      const sample = JSON.parse(data)
      this.#samples = [...this.#samples.filter(({ atMs }) => atMs > sample.atMs - HOUR_MS), sample]
      this.#hear()
    })
    events.addEventListener('error', () => {
      this.#tellOff('Not connected; trying again.')
      // A browser tries again by itself, unless it was given another answer than events.
      if (events.readyState === EventSource.CLOSED) this.#retry = setTimeout(() => void this.#reconnect(), RETRY_MS)
    })
  }

  /** Asks in a way that a page can read the answer of: the session may have ended, and then the person signs in. */
  async #reconnect() {
    try {
      await get('api/dashboard', { isUnattended: true })
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      if (this.#hasEnded) return
      this.#tellOff(error.status === 0 ? 'Not connected; trying again.' : error.message)
      this.#retry = setTimeout(() => void this.#reconnect(), RETRY_MS)
      return
    }
    this.#connect()
  }

  #hear() {
    this.#heardMs = Date.now()
    this.#live.classList.remove('stale')
    this.#say('Live', true)
    this.#draw()
  }

  #tellSilence() {
    if (this.#heardMs !== 0 && Date.now() - this.#heardMs > SILENCE_MS) this.#tellOff('Nothing new is coming.')
  }

  /** @param {string} sentence */
  #tellOff(sentence) {
    const last = this.#samples.at(-1)
    this.#live.classList.add('stale')
    this.#say(last === undefined ? sentence : `${sentence} The figures are of ${exactTime(last.atMs)}.`, false)
  }

  /** @param {string} sentence @param {boolean} isLive */
  #say(sentence, isLive) {
    if (this.#connection.textContent !== sentence) this.#connection.textContent = sentence
    this.#connection.classList.toggle('on', isLive)
  }

  #draw() {
    const latest = this.#samples.at(-1)
    if (latest === undefined) return
    for (const [i, { value }] of FIGURES.entries()) this.#said[i]?.replaceChildren(value(latest))
    for (const { draw } of this.#plots) draw(this.#samples)
  }

  /** @param {DashboardState} state */
  #showState(state) {
    const { words, trouble } = backupWords(state)
    this.#backups.textContent = words
    this.#about.textContent = `Version ${state.version}, running since ${moment(state.startedAtMs)}.`
    const troubles = [trouble, state.countersTrouble ?? ''].filter((sentence) => sentence !== '')
    const shown = [...this.#troubles.children].map(({ textContent }) => textContent)
    if (shown.join('\n') === troubles.join('\n')) return
    this.#troubles.replaceChildren(...troubles.map((sentence) => make('p', { class: 'notice' }, sentence)))
  }
}

/** @param {Sample['animals']} counts */
function animalsInAll(counts) {
  return counts === undefined ? '–' : whole(Object.values(counts).reduce((sum, n) => sum + n, 0))
}

/** @param {DashboardState} state */
function backupWords({ atMs, backups, startedAtMs }) {
  if (backups === null) return { words: 'The service makes none by itself; --backup-dir turns that on.', trouble: '' }
  const { lastSuccessMs, failures, everyMs } = backups
  const age = lastSuccessMs === null ? 'There is none yet' : `The newest is ${spanWord(atMs - lastSuccessMs)} old`
  const failed = failures === 0 ? '' : ` ${whole(failures)} failed since the service started; its log says why.`
  const words = `${age}; one is made every ${spanWord(everyMs).replace(/^1 /, '')}.${failed}`
  const isLate = atMs - (lastSuccessMs ?? startedAtMs) > 2 * everyMs
  return { words, trouble: isLate ? `No backup for ${spanWord(atMs - (lastSuccessMs ?? startedAtMs))}.${failed}` : '' }
}

/** @type {Promise<void> | undefined} */
let charts

/** Loads uPlot, which only this screen needs. */
function loadCharts() {
  charts ??= new Promise((resolve, reject) => {
    const script = make('script', { src: 'office/uplot.js' })
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => {
      charts = undefined
      reject(new CallFailed('The charts could not be loaded.', { code: 'unreachable' }))
    })
    document.head.append(script)
  })
  return charts
}
