import { PetAdoption } from 'pet-adoption-client'

const { PETS_URL = 'http://127.0.0.1:8080/v1', PETS_KEY = '' } = process.env
const client = new PetAdoption({ baseUrl: PETS_URL, apiKey: PETS_KEY })

// Identifiers have 64 bits: a bigint keeps every digit, where a number would round from 2^53 on.
const luna = await client.createPet({ name: 'Luna', categoryId: 9223372036854775807n, status: 'available' })
console.log(`${luna.name} has the id ${luna.id} and is of category ${luna.categoryId}`)
