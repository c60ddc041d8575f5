import { PetAdoption } from 'pet-adoption-client'

const { PETS_URL = 'http://127.0.0.1:8080/v1', PETS_KEY = '' } = process.env

const client = new PetAdoption({ baseUrl: PETS_URL, apiKey: PETS_KEY })

for (const name of ['Rex', 'Molly', 'Oscar']) {
  await client.createPet({ name, categoryId: 1 })
  const { limit, remaining, reset } = client.rateLimit ?? {}
  console.log(`${name} is in; ${remaining} of ${limit} requests are left until ${reset?.toISOString()}`)
}
