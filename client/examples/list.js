import { PetAdoption } from 'pet-adoption-client'

const { PETS_URL = 'http://127.0.0.1:8080/v1', PETS_KEY = '' } = process.env
const client = new PetAdoption({ baseUrl: PETS_URL, apiKey: PETS_KEY })

for (const pet of await client.listPets({ status: 'available', limit: 5 })) {
  console.log(`${pet.id}  ${pet.name}`)
}
