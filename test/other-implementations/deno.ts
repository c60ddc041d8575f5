/** Deno.serve in TypeScript, with one function that looks at method and path. */
declare const Deno: {
  readonly args: readonly string[]
  serve(options: { port: number; hostname: string }, handler: (request: Request) => Promise<Response>): void
}

interface Pet {
  id: number
  name: string
  categoryId: number
  status?: string
}

/** Requests, and in how many seconds. */
const KEYS = new Map<string, readonly [number, number]>([
  ['other-key', [5000, 60]],
  ['limited-key', [10, 20]],
])
const pets: Pet[] = []
const counts = new Map<string, { used: number; reset: number }>()

Deno.serve({ port: Number(Deno.args[0]), hostname: '127.0.0.1' }, async (request) => {
  const key = request.headers.get('Authorization')?.match(/^Bearer (.+)$/)?.[1] ?? ''
  const plan = KEYS.get(key)
  if (plan === undefined) return error(401, 'A valid key is needed.')
  const { headers, wait } = count(key, ...plan)
  if (wait > 0) return error(429, 'Too many requests.', { ...headers, 'Retry-After': String(wait) })
  const response = await route(request)
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
})

function count(key: string, limit: number, seconds: number) {
  const now = Date.now() / 1000
  const before = counts.get(key)
  const current = before && before.reset > now ? before : { used: 0, reset: Math.ceil(now) + seconds }
  current.used += 1
  counts.set(key, current)
  return {
    headers: {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(Math.max(0, limit - current.used)),
      'X-RateLimit-Reset': String(current.reset),
    },
    wait: current.used > limit ? Math.ceil(current.reset - now) : 0,
  }
}

async function route(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/v1/pets' && request.method === 'GET') {
    const status = searchParams.get('status')
    const found = pets.filter((pet) => status === null || pet.status === status)
    return Response.json(found.slice(0, Number(searchParams.get('limit') ?? 20)))
  }
  if (pathname === '/v1/pets' && request.method === 'POST') return create(request)
  const id = pathname.match(/^\/v1\/pets\/(-?\d+)$/)?.[1]
  const pet = pets.find((each) => String(each.id) === id)
  return pet ? Response.json(pet) : error(404, 'There is no such animal.')
}

async function create(request: Request): Promise<Response> {
  try {
    const { name, categoryId, status } = (await request.json()) as Partial<Pet>
    if (typeof name !== 'string') throw new TypeError('name')
    if (typeof categoryId !== 'number' || !Number.isInteger(categoryId)) throw new TypeError('categoryId')
    if (status !== undefined && !['available', 'pending', 'sold'].includes(status)) throw new TypeError('status')
    const pet = { id: pets.length + 1, name, categoryId, ...(status && { status }) }
    pets.push(pet)
    return Response.json(pet, { status: 201 })
  } catch (problem) {
    return error(400, String(problem))
  }
}

function error(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ code: `E${status}`, message, status }, { status, headers })
}
