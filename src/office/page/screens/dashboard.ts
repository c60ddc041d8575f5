/** The operators' dashboard: findings, requests of the last 30 days by outcome, and keys near their limits. */
import type { Finding } from '../../../operator/findings.ts'
import type { DashboardState } from '../../office-data.ts'
import { get } from '../parts/api.ts'
import { announce, card, make, quiet, refill, titled, typed } from '../parts/elements.ts'
import { load } from '../parts/load.ts'
import { daysCard, outcomesCard } from '../parts/use.ts'
import { figure, moment } from '../parts/words.ts'

const HELP = '#guide/when-something-is-wrong'

export function showDashboard() {
  const verdict = make('section', { class: 'verdict', 'aria-label': 'Findings' })
  const body = make('div')
  const loader = load({
    what: 'The dashboard',
    async get(isUnattended) {
      const [findings, state] = await Promise.all([
        get('/api/findings', {}, { isUnattended }),
        get('/api/dashboard', {}, { isUnattended }),
      ])
      return { findings, state }
    },
    show({ findings, state }) {
      const before = verdict.textContent
      refill(verdict, verdictOf(findings))
      if (verdict.textContent !== before) announce(verdict.textContent)
      const { days, todayMs } = state
      const below = make('div', { class: 'two apart' }, outcomesCard(days), keysNearLimits(state))
      refill(body, daysCard(days, todayMs), below)
    },
    polls: () => true,
  })
  return [titled('Dashboard'), loader, verdict, body]
}

export function findingLink({ sentence }: Finding, href: string) {
  const parts = sentence.split('`').map((part, at) => (at % 2 === 0 ? part : make('code', {}, part)))
  return make('a', { href }, make('span', {}, parts))
}

function verdictOf(findings: readonly Finding[]) {
  if (findings.length === 0) return make('p', { class: 'well' }, 'No problems found.')
  const items = findings.map((finding) => make('li', {}, findingLink(finding, HELP)))
  return make('ul', {}, items)
}

function keysNearLimits({ nearLimits }: DashboardState) {
  const lines = nearLimits.map(({ id, label, used, limit, window, bannedUntilMs }) => {
    const of = `${figure(used)} of ${figure(limit)} ${window === 'minute' ? 'this minute' : 'today (UTC)'}`
    const words = bannedUntilMs === null ? of : `${of}, banned until ${moment(bannedUntilMs)}`
    return make('li', {}, make('a', { href: `#key/${id}` }, typed(label || id)), make('span', {}, words))
  })
  const none = lines.length === 0 && quiet('No key is near its limit.')
  return card('Keys near their limits', none, make('ul', { class: 'most' }, lines))
}
