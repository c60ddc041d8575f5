/**
 * The operator's dashboard: a page of live charts, the samples that feed it as server-sent events, and the keys with
 * their use. It is read-only.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Assets, contentPolicy, folder } from '../assets/assets.ts'
import type { Clock } from '../common/clock.ts'
import { printable } from '../common/printable.ts'
import type { Access } from '../domain/access.ts'
import { stateOf } from '../domain/keys.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Key, Store } from '../store/store.ts'
import type { KeyUse, KeyUses } from './dashboard-data.ts'
import { Sampler } from './samples.ts'

export interface DashboardOptions {
  readonly store: Store
  readonly access: Access
  readonly metrics: Metrics
  readonly clock: Clock
}

/** The number of keys that the dashboard shows, most recently used first. */
const SHOWN_KEYS = 100
/** A viewer with this much unread data is disconnected; its browser reconnects by itself. */
const UNREAD_BYTES = 1_048_576
const FOLDER = 'src/operator/dashboard'

/** Adds the routes of the dashboard, and takes samples until the server closes. */
export function addDashboard(server: FastifyInstance, options: DashboardOptions): void {
  const viewers = new Set<ServerResponse>()
  const sampler = new Sampler({
    ...options,
    onSample(sample) {
      const message = event('sample', sample)
      for (const viewer of viewers) {
        if (viewer.writableLength > UNREAD_BYTES) viewer.destroy()
        else viewer.write(message)
      }
    },
  })
  server.addHook('onListen', async () => sampler.start())
  // Event streams never end by themselves, and the server would wait for them.
  server.addHook('preClose', async () => {
    sampler.stop()
    for (const viewer of viewers) viewer.end()
  })

  const assets = new Assets(
    {
      '/': { file: `${FOLDER}/index.html` },
      '/dashboard/icon.svg': { file: 'src/assets/icon.svg' },
      '/dashboard/uplot.js': { packaged: 'uplot/dist/uPlot.iife.min.js' },
      '/dashboard/uplot.css': { packaged: 'uplot/dist/uPlot.min.css' },
      // In a release the files of the charts are here instead of in the package.
      ...folder(FOLDER, '/dashboard', /\.(css|js)$/),
    },
    contentPolicy(),
  )
  for (const path of assets.paths) {
    server.get(path, async (request, reply) => {
      const { status, body, contentType, headers } = await assets.get(path, request.headers)
      for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] ?? '', headers[i + 1])
      return status === 304 ? reply.code(304).send() : reply.type(contentType).send(body)
    })
  }

  server.get('/dashboard/events', { exposeHeadRoute: false }, (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    reply.raw.write(event('history', sampler.samples))
    viewers.add(reply.raw)
    reply.raw.on('close', () => viewers.delete(reply.raw))
  })

  server.get('/dashboard/keys', async (_request, reply): Promise<KeyUses> => {
    reply.header('Cache-Control', 'no-store')
    const { keys } = options.store
    const [total, shown] = await Promise.all([keys.count(), keys.lastUsed(SHOWN_KEYS)])
    return { total, keys: await Promise.all(shown.map((key) => describe(key, options))) }
  })
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

async function describe(key: Key, { access, metrics, clock }: DashboardOptions): Promise<KeyUse> {
  const { id, plan, label, perMinute, perDay, lastUsedAtMs } = key
  const { banned, minuteUsed, dayUsed } = await access.lookAtKey(key)
  return {
    id,
    label: printable(label),
    plan,
    state: stateOf(key, clock(), banned),
    lastUsedAtMs,
    refused: metrics.refusedByKey.get(id) ?? 0,
    minute: { limit: perMinute, used: minuteUsed },
    day: { limit: perDay, used: dayUsed },
  }
}
