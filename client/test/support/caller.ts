/**
 * A program that makes 60 calls at once with the client, as one of several that use a key: `caller.ts URL KEY
 * MAX_WAIT`. It prints as JSON how many were served, how often it was refused, and the longest wait that it was told,
 * in seconds.
 */
import { PetAdoption, PetAdoptionError } from '../../src/index.ts'

const [baseUrl = '', apiKey = '', maxWait = ''] = process.argv.slice(2)
let refused = 0
const client = new PetAdoption({
  baseUrl,
  apiKey,
  maxWait: Number(maxWait),
  maxAttempts: 20,
  fetch: async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 429) refused += 1
    return response
  },
})
const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => client.listPets({ limit: 1 })))
const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
const waits = errors.map((error) => (PetAdoptionError.is(error) ? (error.retryAfter ?? 0) : Infinity))
console.log(JSON.stringify({ served: outcomes.length - errors.length, refused, longestS: Math.max(0, ...waits) }))
