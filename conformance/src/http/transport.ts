/** Sends each request on its own connection, and keeps the response headers as received. */
import http from 'node:http'
import https from 'node:https'
import { CUT_KEY, KEY, LIMITED_KEY, type Request } from './request.ts'

export interface HttpResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** `atMs`: when the response was complete, Unix ms. */
export interface Exchange {
  readonly request: Request
  readonly answer: HttpResponse
  readonly atMs: number
}

export interface Secrets {
  readonly key: string
  readonly limitedKey: string | undefined
}

const TIMEOUT_MS = 20_000

export async function ask(base: URL, request: Request, secrets: Secrets): Promise<HttpResponse> {
  const { method, path, headers, body } = request
  const revealed = Object.entries(headers).map(([name, value]) => [name, reveal(value, secrets)] as const)
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const outgoing = (base.protocol === 'https:' ? https : http).request(base.origin, {
    method,
    path: base.pathname + reveal(path, secrets),
    headers: { ...Object.fromEntries(revealed), ...length },
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject).end(body)
  })
  const raw = answer.rawHeaders
  const pairs = Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? ''] as const)
  return { status: answer.statusCode ?? 0, headers: pairs, body: Buffer.concat(await answer.toArray()) }
}

function reveal(text: string, { key, limitedKey = '' }: Secrets): string {
  return text.replaceAll(CUT_KEY, key.slice(0, -1)).replaceAll(LIMITED_KEY, limitedKey).replaceAll(KEY, key)
}

export function headerValues({ headers }: HttpResponse, name: string): readonly string[] {
  return headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
}

export function header(answer: HttpResponse, name: string): string | undefined {
  return headerValues(answer, name)[0]
}
