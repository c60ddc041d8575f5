import { PetAdoption } from 'pet-adoption-client'

const { PETS_URL = 'http://127.0.0.1:8080/v1', PETS_KEY = '' } = process.env
const client = new PetAdoption({
  baseUrl: PETS_URL,
  apiKey: PETS_KEY,
  maxAttempts: 6,
  maxWait: 30_000,
  onRetry: ({ attempt, waitMs, error }) => console.log(`attempt ${attempt}: ${error.message}; again in ${waitMs} ms`),
})

// A signal ends the call, whatever it is doing at the time: asking, or waiting to ask again.
const pets = await client.listPets({ limit: 100 }, { signal: AbortSignal.timeout(60_000) })
console.log(`${pets.length} animals`)
