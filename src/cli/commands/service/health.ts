/** `pets health`: everything known about the service, and what to do. */
import { printable } from '../../../common/printable.ts'
import { command } from '../../command.ts'
import { CommandFailed } from '../../options.ts'
import { parseServeSettings } from '../../settings.ts'
import { factsOf } from '../../table.ts'
import { healthOf } from './health-report.ts'

const LABELS = { 'cannot serve': 'Cannot serve', 'look at it': 'Look at it' } as const

export const health = command({
  about: 'Report everything known about the service, its database and backups. Exits 1 if something is wrong.',
  examples: ['pets health', 'pets health --json'],
  takes: (command) =>
    command.option('--ready', 'only check whether the service can serve, for probes; exit 1 only if it cannot'),
  json: 'output as one JSON object',
  async action({ cli, command, show }, { ready = false, database }) {
    const isNamed = command.getOptionValueSource('database') === 'cli'
    const settings = parseServeSettings(cli, isNamed ? ['--database', database] : [])
    const { facts, findings: all } = await healthOf(cli, settings, !ready)
    const lines = Object.entries(facts).map(([name, fact]) => [name, fact && printable(fact)] as const)
    if (!ready) await show({ json: { ...facts, findings: all }, text: factsOf(13, lines) })
    const findings = all.filter(({ kind }) => !ready || kind === 'cannot serve')
    if (findings.length > 0) {
      throw new CommandFailed(
        findings.map(({ kind, sentence }) => printable(`${LABELS[kind]}: ${sentence}`)).join('\n'),
      )
    }
    return ready ? 'The service is ready.\n' : undefined
  },
})
