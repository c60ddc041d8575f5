/** `pets health`: everything that is known of the service, and what to do about it. */
import { InvalidArgumentError } from 'commander'
import { printable } from '../../../common/printable.ts'
import type { Finding } from '../../../operator/findings.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { CommandFailed, databaseOption, option } from '../../options.ts'
import { parseServeSettings } from '../../settings.ts'
import { askService, type OperatorPort } from './ask-service.ts'
import { factLines, type HealthReport, healthOf, toJson } from './health-report.ts'

export const health = command({
  about: 'Report everything known about the service, its database and backups; exits 1 if something is wrong.',
  examples: ['pets health', 'pets health --json', 'pets health --url https://pets.example:8081 --ca ca.pem'],
  takes: (command) =>
    command
      .option('--ready', 'only check whether the service can serve, for probes; exits 1 only if it cannot')
      .addOption(databaseOption())
      .addOption(
        option('--url <url>', 'operator port of another machine, of which only the findings are shown', address),
      )
      .addOption(option('--ca <file>', 'with --url https://…: certificates that may have signed its own, PEM')),
  database: false,
  json: 'one JSON object',
  async action({ cli, command, show }, { ready = false, url, ca, database }) {
    const isNamed = command.getOptionValueSource('database') === 'cli'
    const parsed = parseServeSettings(cli, isNamed ? ['--database', database] : [])
    const remote = url === undefined ? undefined : remotePort(cli, url, ca)
    const report = remote === undefined ? await healthOf(cli, parsed, !ready) : await remoteReport(cli, remote)
    if (ready) {
      assertNone(report.findings.filter(({ kind }) => kind === 'cannot serve'))
      return 'The service is ready.\n'
    }
    await show({ json: toJson(report), text: factLines(report) })
    assertNone(report.findings)
    return undefined
  },
})

/** Throws CommandFailed with a line for each finding. */
function assertNone(findings: readonly Finding[]): void {
  if (findings.length === 0) return
  throw new CommandFailed(findings.map(({ kind, sentence }) => printable(`${LABELS[kind]}: ${sentence}`)).join('\n'))
}

const LABELS = { 'cannot serve': 'Cannot serve', 'look at it': 'Look at it' } as const

async function remoteReport(cli: Cli, port: OperatorPort): Promise<HealthReport> {
  const readiness = await askService(port, cli.clock)
  const facts = { service: port.url }
  if (typeof readiness === 'string') return { facts, findings: [{ kind: 'cannot serve', sentence: readiness }] }
  return { facts, findings: readiness.findings }
}

function remotePort(cli: Cli, url: string, ca: string | undefined): OperatorPort {
  return { url, ca: ca === undefined ? undefined : cli.read(ca, '--ca'), isChecked: true }
}

function address(text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin
  throw new InvalidArgumentError('It must be an address without a path, such as http://127.0.0.1:8081.')
}
