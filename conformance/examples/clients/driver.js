/** The driver of the client for JavaScript (`npm install pet-adoption-client`) for the judge of clients. */
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { fromJson, PetAdoption, toJson } from 'pet-adoption-client'

const { PETS_URL = '', PETS_KEY = '' } = process.env
const client = new PetAdoption({ baseUrl: PETS_URL, apiKey: PETS_KEY })

const CALLS = {
  list: (query) => client.listPets(query),
  all: (query) => Array.fromAsync(client.pages(query)),
  create: (pet) => client.createPet(pet),
  get: ({ petId }) => client.getPet(petId),
}

let warning
process.on('warning', ({ name, message }) => {
  if (name === 'DeprecationWarning') warning = message
})

for await (const line of createInterface({ input: process.stdin })) {
  const { id, call, limit, ...rest } = fromJson(line)
  CALLS[call](limit === undefined ? rest : { ...rest, limit: Number(limit) })
    .then(
      (result) => ({ result }),
      (error) => ({ error: error.message, unknown: error.mayBeDone }),
    )
    .then(async (became) => {
      await setImmediate() // a warning comes a turn later
      console.log(toJson({ id, ...became, warning }))
      warning = undefined
    })
}
