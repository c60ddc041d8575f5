import { NetworkError, PetAdoption, PetAdoptionError, TimeoutError, UnexpectedAnswerError } from 'pet-adoption-client'

const { PETS_URL = 'http://127.0.0.1:8080/v1' } = process.env
const client = new PetAdoption({ baseUrl: PETS_URL, apiKey: 'no-such-key' })

try {
  await client.listPets()
} catch (error) {
  if (error instanceof PetAdoptionError) {
    console.log(`the service says: ${error.code} (${error.status}): ${error.message}`)
  } else if (error instanceof UnexpectedAnswerError) {
    console.log('something between here and the service answered for it:', error.message)
  } else if (error instanceof NetworkError || error instanceof TimeoutError) {
    console.log('the service cannot be reached:', error.message)
  } else {
    throw error
  }
}
