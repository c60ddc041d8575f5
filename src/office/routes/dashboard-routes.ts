/**
 * The office's routes for the dashboard: the samples of the last hour and each new one as server-sent events, and the
 * state that is known without measuring, as the age of the newest backup. Samples are taken for as long as the server
 * listens.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { printable } from '../../common/printable.ts'
import { VERSION } from '../../common/version.ts'
import type { BackupStatus } from '../../operator/prometheus.ts'
import { Sampler } from '../../operator/samples.ts'
import type { DashboardState } from '../office-data.ts'
import { type OfficeOptions, tooMuchHeld } from './routes.ts'

/** A viewer with this much unread data, in bytes, is disconnected; its browser reconnects. */
const UNREAD_BYTES = 1_048_576
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const
/** Event streams at a time, of all people together. */
const MAX_VIEWERS = 32

export function addDashboardRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { clock, metrics, troubles, backups } = options
  const config = { role: 'operator' } as const
  const startedAtMs = clock.now()
  const viewers = new Map<ServerResponse, FastifyRequest>()
  const sampler = takeSamples(server, options, (message) => {
    for (const [viewer, request] of viewers) void send(viewer, request, message)
  })
  /** Ends the stream if the session has ended or cannot be checked. */
  const send = async (viewer: ServerResponse, request: FastifyRequest, message: string) => {
    const mayRead = await server.guard.lasts(request).catch(() => false)
    if (!mayRead) viewer.end()
    else if (viewer.writableLength > UNREAD_BYTES) viewer.destroy()
    else viewer.write(message)
  }
  // Event streams never end, and the server would wait for them.
  server.addHook('preClose', async () => {
    for (const viewer of viewers.keys()) viewer.end()
  })

  server.get('/api/dashboard/events', { config, exposeHeadRoute: false }, (request, reply) => {
    if (viewers.size >= MAX_VIEWERS) throw tooMuchHeld()
    reply.hijack()
    reply.raw.writeHead(200, HEADERS)
    reply.raw.write(event('history', sampler.samples))
    viewers.set(reply.raw, request)
    reply.raw.on('close', () => viewers.delete(reply.raw))
  })

  server.get('/api/dashboard', { config }, async (): Promise<DashboardState> => {
    return {
      atMs: clock.now(),
      backups: backups === undefined ? null : backupsOf(backups),
      warnings: metrics.recentWarnings.map((warning) => ({ ...warning, label: printable(warning.label) })),
      refusedAnonymous: metrics.plans.get('anonymous')?.refused ?? 0,
      troubles: troubles(),
      version: VERSION,
      startedAtMs,
    }
  })
}

/** Takes samples as soon as the server listens. */
function takeSamples(server: FastifyInstance, options: OfficeOptions, send: (message: string) => void): Sampler {
  const { store, clock, metrics } = options
  const sampler = new Sampler({ store, clock, metrics, onSample: (sample) => send(event('sample', sample)) })
  server.addHook('onListen', async () => sampler.start())
  server.addHook('preClose', async () => sampler.stop())
  return sampler
}

function backupsOf({ lastSuccessMs, failures, everyMs }: BackupStatus): DashboardState['backups'] {
  return { lastSuccessMs: lastSuccessMs ?? null, failures, everyMs }
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
