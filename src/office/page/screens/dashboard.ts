/**
 * The dashboard: figures of now and of the last hour, the keys used most, backups, and current problems. Figures arrive
 * as events. While none do, those shown are dimmed and dated, and the page keeps reconnecting.
 */

import { HOUR_MS } from '../../../common/clock.ts'
import type { Sample } from '../../../operator/dashboard-data.ts'
import type { DashboardState, KeyPage } from '../../office-data.ts'
import { CallFailed, get } from '../parts/api.ts'
import { make, typed } from '../parts/elements.ts'
import { keepFresh } from '../parts/fresh.ts'
import type { Shown } from '../parts/screen.ts'
import { moment, figure as whole } from '../parts/words.ts'
import { allRefused, allRequests, CHARTS } from './charts.ts'
import { exactTime, figure, spanWord } from './figures.ts'
import { meterOf } from './keys.ts'
import { plot } from './plot.ts'

/** Three samples missed; one comes every five seconds. */
const SILENCE_MS = 15_000
const RETRY_MS = 5_000
const SHOWN_KEYS = 5

const FIGURES: readonly { name: string; value: (sample: Sample) => string }[] = [
  { name: 'requests', value: (sample) => figure(allRequests(sample), '/s') },
  { name: 'latency, p99', value: ({ p99Ms }) => figure(p99Ms, 'ms') },
  { name: 'refused', value: (sample) => figure(allRefused(sample), '/s') },
  { name: 'animals', value: ({ animals }) => animalsInAll(animals) },
  { name: 'memory', value: ({ rssBytes }) => figure(rssBytes / 2 ** 20, 'MiB') },
]

export function showDashboard(container: HTMLElement): Shown {
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
  #samples: Sample[] = []
  #events: EventSource | undefined
  #heardMs = 0
  #hasEnded = false
  #watch = 0
  #retry = 0
  #plots: readonly ReturnType<typeof plot>[] = []
  #connection = make('p', { class: 'connection', role: 'status' }, 'Connecting …')
  #troubles = make('div', { role: 'status' })
  #said = FIGURES.map(() => make('dd', {}, '–'))
  #live = make('div', { class: 'live' })
  #keys = make('ul', { class: 'most' })
  #refused = make('ul', { class: 'most' })
  #warnings = make('ul', { class: 'most' })
  #backups = make('p')
  #about = make('p', { class: 'quiet' })

  get elements() {
    const heading = make('div', { class: 'heading' }, make('h1', {}, 'Dashboard'), this.#connection)
    const figures = FIGURES.map(({ name }, i) => make('div', {}, make('dt', {}, name), this.#said[i]))
    this.#live.append(make('dl', { class: 'now', 'aria-label': 'Now' }, ...figures))
    const all = make('a', { href: '#keys?sort=used' }, 'All keys, most used first')
    const keys = make('section', { class: 'card' }, make('h2', {}, 'Keys used most today (UTC)'), this.#keys, all)
    const service = make('section', { class: 'card' }, make('h2', {}, 'Backups'), this.#backups, this.#about)
    const most = make('a', { href: '#keys?sort=refused' }, 'All keys, most refused first')
    const refused = make(
      'section',
      { class: 'card' },
      make('h2', {}, 'Refused most since the start'),
      this.#refused,
      most,
    )
    const near = make('section', { class: 'card' }, make('h2', {}, 'Near their limits'), this.#warnings)
    const cards = make('div', { class: 'two' }, keys, refused, near, service)
    return [heading, this.#troubles, this.#live, cards]
  }

  async start() {
    document.addEventListener('visibilitychange', this.#see)
    this.#watch = setInterval(() => this.#tellSilence(), SILENCE_MS / 3)
    void this.loadState()
    this.#connect()
    // Loaded here, because only this screen needs uPlot.
    const { default: UPlot } = await import('uplot')
    if (this.#hasEnded) return
    const charts = make('section', { class: 'charts', 'aria-label': 'The last hour' })
    this.#live.append(charts)
    this.#plots = CHARTS.map((chart) => plot(UPlot, charts, chart))
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
      const [state, used, refused] = await Promise.all([
        get<DashboardState>('api/dashboard', { isUnattended }),
        get<KeyPage>('api/keys?sort=used', { isUnattended }),
        get<KeyPage>('api/keys?sort=refused', { isUnattended }),
      ])
      this.#showState(state)
      const users = used.keys.filter(({ day }) => day.used > 0).slice(0, SHOWN_KEYS)
      fill(
        this.#keys,
        users.map(({ id, label, day }) => [keyNameOf(id, label), meterOf('today', day)]),
      )
      const most = refused.keys.filter((key) => key.refused > 0).slice(0, SHOWN_KEYS)
      const anonymous = state.refusedAnonymous === 0 ? [] : [['Without a valid key', whole(state.refusedAnonymous)]]
      fill(this.#refused, [...most.map((key) => [keyNameOf(key.id, key.label), whole(key.refused)]), ...anonymous])
      fill(
        this.#warnings,
        state.warnings.map((warning) => [keyNameOf(warning.keyId, warning.label), warningWords(warning)]),
      )
    } catch (error) {
      // The event stream tells that the service is away.
      if (!(error instanceof CallFailed)) throw error
    }
  }

  /** A browser opens few connections to one host, so a hidden page gives its own up. */
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
      const history: Sample[] = JSON.parse(data)
      // A restarted service has no samples of the time before; keep those that this page has.
      const firstMs = history[0]?.atMs ?? Infinity
      this.#samples = [...this.#samples.filter(({ atMs }) => atMs < firstMs), ...history]
      this.#hear()
    })
    events.addEventListener('sample', ({ data }) => {
      const sample: Sample = JSON.parse(data)
      this.#samples = [
        ...this.#samples.filter(({ atMs }) => atMs > sample.atMs - HOUR_MS && atMs < sample.atMs),
        sample,
      ]
      this.#hear()
    })
    events.addEventListener('error', () => {
      this.#tellOff('Not connected; trying again.')
      // The browser reconnects by itself unless the answer was no event stream.
      if (events.readyState === EventSource.CLOSED) this.#retry = setTimeout(() => void this.#reconnect(), RETRY_MS)
    })
  }

  /** Sends a plain request, since an EventSource hides the status: the session may have ended. */
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

  #tellOff(sentence: string) {
    const last = this.#samples.at(-1)
    this.#live.classList.add('stale')
    this.#say(last === undefined ? sentence : `${sentence} The figures are of ${exactTime(last.atMs)}.`, false)
  }

  #say(sentence: string, isLive: boolean) {
    if (this.#connection.textContent !== sentence) this.#connection.textContent = sentence
    this.#connection.classList.toggle('on', isLive)
  }

  #draw() {
    const latest = this.#samples.at(-1)
    if (latest === undefined) return
    for (const [i, { value }] of FIGURES.entries()) this.#said[i]?.replaceChildren(value(latest))
    for (const { draw } of this.#plots) draw(this.#samples)
  }

  #showState(state: DashboardState) {
    const { troubles } = state
    this.#backups.textContent = backupWords(state)
    this.#about.textContent = `Version ${state.version}, running since ${moment(state.startedAtMs)}.`
    const shown = [...this.#troubles.children].map(({ textContent }) => textContent)
    if (shown.join('\n') === troubles.join('\n')) return
    this.#troubles.replaceChildren(...troubles.map((sentence) => make('p', { class: 'notice' }, sentence)))
  }
}

function fill(list: HTMLElement, lines: readonly (readonly (Node | string)[])[]) {
  list.replaceChildren(...lines.map((line) => make('li', {}, ...line.map((part) => make('span', {}, part)))))
  if (lines.length === 0) list.append(make('li', { class: 'quiet' }, 'None yet.'))
}

/** Several keys may have one label. */
function keyNameOf(id: string, label: string) {
  return label === '' ? make('code', {}, id) : make('span', {}, typed(label), ' ', make('code', {}, id))
}

/** As in "80 % of 60 a minute, today at 14:31". */
function warningWords({ share, limit, window, atMs }: DashboardState['warnings'][number]) {
  return `${share} % of ${whole(limit)} a ${window}, ${moment(atMs)}`
}

function animalsInAll(counts: Sample['animals']) {
  return counts === undefined ? '–' : whole(Object.values(counts).reduce((sum, n) => sum + n, 0))
}

function backupWords({ atMs, backups }: DashboardState) {
  if (backups === null) return 'The service makes none by itself; --backup-dir turns that on.'
  const { lastSuccessMs, failures, everyMs } = backups
  const age = lastSuccessMs === null ? 'There is none yet' : `The newest is ${spanWord(atMs - lastSuccessMs)} old`
  const failed = failures === 0 ? '' : ` ${whole(failures)} failed since the service started; its log says why.`
  return `${age}; one is made every ${spanWord(everyMs).replace(/^1 /, '')}.${failed}`
}
