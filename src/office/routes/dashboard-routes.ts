/**
 * The office's routes for the dashboard: the samples of the last hour and each new one as server-sent events, and what
 * is not measured but known, such as the age of the newest backup. Samples are taken from the start of the server to
 * its end.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { VERSION } from '../../common/version.ts'
import type { BackupStatus } from '../../operator/prometheus.ts'
import { Sampler } from '../../operator/samples.ts'
import type { DashboardState } from '../office-data.ts'
import { type OfficeOptions, tooMuchHeld } from './routes.ts'

/** A viewer with this much unread data is disconnected; its browser reconnects by itself. */
const UNREAD_BYTES = 1_048_576
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const
/** Streams at a time, over all people. */
const MAX_VIEWERS = 32

export function addDashboardRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { clock, counters, backups } = options
  const config = { role: 'operator' } as const
  const startedAtMs = clock.now()
  const viewers = new Map<ServerResponse, FastifyRequest>()
  const sampler = takeSamples(server, options, (message) => {
    for (const [viewer, request] of viewers) void send(viewer, request, message)
  })
  /** A session that has ended, or that nobody can check, is shown nothing more. */
  const send = async (viewer: ServerResponse, request: FastifyRequest, message: string) => {
    const mayRead = await server.guard.lasts(request).catch(() => false)
    if (!mayRead) viewer.end()
    else if (viewer.writableLength > UNREAD_BYTES) viewer.destroy()
    else viewer.write(message)
  }
  // Event streams never end by themselves, and the server would wait for them.
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
      countersTrouble: sentenceOf(counters.trouble()),
      version: VERSION,
      startedAtMs,
    }
  })
}

/** Takes samples from the moment that the server listens. */
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

/** The log says it without a capital letter and a full stop. */
function sentenceOf(trouble: string | undefined): string | null {
  return trouble === undefined ? null : `${trouble.slice(0, 1).toUpperCase()}${trouble.slice(1).replace(/\.$/, '')}.`
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
