/** Section 4.4: what the interface names without defining it, and paths and methods that it does not name. */
import { inSection } from '../case.ts'
import { ANIMALS, animal, UNUSED_ID } from '../fixtures.ts'
import { createPet, type Request } from '../http/request.ts'
import { EACH_OPERATION } from '../interface.ts'
import type { Kit } from '../kit.ts'
import { type Kind, kindCase, other } from './http.ts'

/** After the removal of getPet no animal has a path; any id then completes the path. */
const statusChange = async (kit: Kit): Promise<Request> => ({
  ...createPet('{"status":"sold"}'),
  method: 'PATCH',
  path: `/pets/${kit.getPetExists ? (await animal(kit, ANIMALS.sold)).id : UNUSED_ID}`,
})

const ELSEWHERE: readonly Kind[] = [
  ['store-orders', 'GET /store/orders', other('GET', '/store/orders'), 'O2'],
  ['categories', 'GET /categories', other('GET', '/categories'), 'O1'],
  ['events', 'GET /events', other('GET', '/events'), 'O25'],
  ['status-change', 'an attempt to change a status by PATCH', statusChange, 'O3'],
  ['delete-pet', 'DELETE /pets/{petId} for an animal that is not there', other('DELETE', `/pets/${UNUSED_ID}`)],
]

const operations = EACH_OPERATION.map(({ method, path }) => `${method} ${path}`)

/** What has become an operation is asked for as one. */
export const otherEndpointCases = inSection(
  '4.4 Other endpoints',
  ELSEWHERE.filter(([, what]) => !operations.includes(what)).map(kindCase),
)
