import { PetAdoption } from 'pet-adoption-client'

const { PETS_URL = 'http://127.0.0.1:8080/v1', PETS_KEY = '' } = process.env

// With `pace`, requests are spread evenly over the minute, instead of leaving as long as any are left.
const client = new PetAdoption({ baseUrl: PETS_URL, apiKey: PETS_KEY, pace: true })

for (const name of ['Rex', 'Molly', 'Oscar']) {
  await client.createPet({ name, categoryId: 1 })
  const { limit, remaining, reset } = client.rateLimit ?? {}
  console.log(`${name} is in; ${remaining} of ${limit} requests are left until ${reset?.toISOString()}`)
}
