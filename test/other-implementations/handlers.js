/**
 * The operations as somebody writes them who trusts the validator before them: no int64, and limit headers that count
 * nothing.
 */

const pets = []

export function isKey(authorization) {
  return authorization === 'Bearer other-key'
}

export function limitHeaders() {
  const resetS = (Math.floor(Date.now() / 60_000) + 1) * 60
  return { 'X-RateLimit-Limit': 1000, 'X-RateLimit-Remaining': 999, 'X-RateLimit-Reset': resetS }
}

export function listPets({ limit = 20, status }) {
  const found = pets.filter((pet) => status === undefined || pet.status === status)
  return { status: 200, body: found.slice(0, Number(limit)) }
}

export function createPet({ name, categoryId, status }) {
  const pet = { id: pets.length + 1, name, categoryId, status }
  pets.push(pet)
  return { status: 201, body: pet }
}

export function getPet(petId) {
  const pet = pets.find(({ id }) => String(id) === String(petId))
  return pet === undefined ? error(404, 'There is no such animal.') : { status: 200, body: pet }
}

export function error(status, message) {
  return { status, body: { code: `E${status}`, message, status } }
}
