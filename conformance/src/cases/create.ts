/** Section 4.2: valid creations and their answers. refuse.ts has the invalid ones, open.ts the open points. */

import { type CaseInSection, inSection, requirement } from '../case.ts'
import { expectPet, expectSamePet, expectStatus, outcome } from '../expect.ts'
import { ANIMALS, createdAtOnce, fillerName, type Recipe, unknownCategory } from '../fixtures.ts'
import { jsonRequestLines, rawRequest } from '../http/request.ts'
import { PET_STATUSES, type PetStatus } from '../interface.ts'
import { NotRun, Suspicious, Unasked, Violation } from '../verdicts.ts'

function statusCase(status: PetStatus): CaseInSection {
  return requirement(
    { id: `create-${status}`, cites: ['R9', 'R2'] },
    `An animal that is ${status} is created with 201 and comes back with the status sent`,
    async (kit) => {
      const { exchange } = await kit.once(ANIMALS[status])
      if (status === 'available' && exchange.answer.status === 400) throw new NotRun(unknownCategory(kit))
      expectStatus(exchange, 'R9', 201)
      const came = expectPet(exchange).status
      if (came === status) return
      const cause = 'the status sent is not the status returned'
      throw new Violation('R9', exchange, `status ${status}`, `status ${came ?? 'absent'}`, cause)
    },
  )
}

/** The length and the characters of a name are open (O19): a service may refuse a name, but not change it. */
function nameCase(id: string, what: string, make: Recipe, needs: readonly 'thorough'[] = ['thorough']): CaseInSection {
  return {
    id,
    title: `A name ${what} comes back as it was sent, where it is taken`,
    cites: ['R9', 'R3', 'O19'],
    needs,
    restsOn: ['create-as-sent'],
    run: async (kit) => {
      const { newPet, exchange } = await kit.once(make)
      if ([400, 413].includes(exchange.answer.status)) {
        if (needs.length === 0 && !kit.isThorough) throw new Unasked(`a name ${what}, or the category, is refused`)
        return `A name ${what}: refused, ${outcome(exchange)}.`
      }
      expectStatus(exchange, 'R9', 201)
      const { name } = expectPet(exchange)
      if (name === newPet.name) return
      if (make === ANIMALS.controls) throw new Suspicious(`a name ${what} comes back changed: ${nameText(name)}`)
      throw new Violation('R9', exchange, `name ${nameText(newPet.name)}`, `name ${nameText(name)}`)
    },
  }
}

function nameText(name: string): string {
  return name.length > 60 ? `of ${name.length} characters` : JSON.stringify(name)
}

export const firstCreateCases = inSection('4.2 Add an animal', PET_STATUSES.map(statusCase))

export const createCases = inSection('4.2 Add an animal', [
  requirement(
    { id: 'create-without-status', cites: ['R9', 'R3', 'O4'], restsOn: ['create-available'] },
    'An animal without a status is created with 201; which status it then has is open',
    async (kit) => {
      const { exchange } = await kit.once(ANIMALS.withoutStatus)
      expectStatus(exchange, 'R9', 201)
      const { status } = expectPet(exchange)
      return `status omitted: ${status === undefined ? 'no status member' : `status ${status}`} is returned.`
    },
  ),
  requirement(
    { id: 'create-as-sent', cites: ['R9', 'R3'], restsOn: ['create-available', 'pet-fields'] },
    'A created animal comes back with the name and the categoryId sent',
    async (kit) => {
      const { newPet, exchange } = await kit.once(ANIMALS.pending)
      expectStatus(exchange, 'R9', 201)
      const pet = expectPet(exchange)
      // Another case judges the status.
      expectSamePet(exchange, 'R9', { ...pet, status: 'pending' }, newPet)
    },
  ),
  nameCase('create-name-unicode', 'with letters and signs of many scripts', ANIMALS.unicode, []),
  requirement(
    { id: 'create-name-letters', cites: ['R3', 'R9'], needs: ['thorough'], restsOn: ['create-name-unicode'] },
    'A name of letters of other scripts is taken, and comes back as it was sent',
    async (kit) => {
      const { newPet, exchange } = await kit.once(ANIMALS.letters)
      expectStatus(exchange, 'R3', 201)
      const { name } = expectPet(exchange)
      if (name !== newPet.name)
        throw new Violation('R9', exchange, `name ${nameText(newPet.name)}`, `name ${nameText(name)}`)
    },
  ),
  nameCase('create-name-quotes', 'with quotes and backslashes', ANIMALS.quotes),
  nameCase('create-name-markup', 'with signs that HTML and URLs know', ANIMALS.markup),
  {
    ...nameCase('create-name-percent', 'with percent signs before digits', ANIMALS.percent),
    restsOn: ['create-as-sent', 'create-name-markup'],
  },
  nameCase('create-name-spaces', 'with spaces around it and within', ANIMALS.spaces, []),
  nameCase('create-name-digits', 'of digits alone', ANIMALS.digits),
  nameCase('create-name-null', 'that is the word null', ANIMALS.null),
  nameCase('create-name-long', 'of 10,000 letters', ANIMALS.long),
  nameCase('create-name-controls', 'with a tab and a line break', ANIMALS.controls),
  requirement(
    { id: 'create-chunked', cites: ['R9', 'O23'], needs: ['thorough'], restsOn: ['create-available'] },
    'A body is read also when it comes in chunks, without a Content-Length',
    async (kit) => {
      const body = `{"name":"${kit.namePrefix}chunked","categoryId":${kit.category}}`
      const chunks = [body.slice(0, 10), body.slice(10)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
      const lines = jsonRequestLines(kit.base, 'Transfer-Encoding: chunked')
      const exchange = await kit.send(rawRequest(lines, `${chunks.join('')}0\r\n\r\n`))
      // Whether a server requires Content-Length is open (RFC 9110 has 411 for it).
      if (exchange.answer.status === 411) return `A creation in chunks: refused, ${outcome(exchange)}.`
      expectStatus(exchange, 'R9', 201)
    },
  ),
])

/** Run once ids are known to be unique. */
export const createdAtOnceCases = inSection('4.2 Add an animal', [
  requirement(
    {
      id: 'create-at-once-as-sent',
      cites: ['R9'],
      needs: ['thorough'],
      restsOn: ['ids-unique-at-once', 'create-as-sent'],
    },
    'Animals that are created at once come back each with its own name',
    async (kit) => {
      for (const [i, exchange] of (await kit.once(createdAtOnce)).entries()) {
        expectStatus(exchange, 'R9', 201)
        const { name } = expectPet(exchange)
        if (name !== fillerName(kit, i))
          throw new Violation('R9', exchange, `name ${fillerName(kit, i)}`, `name ${name}`)
      }
    },
  ),
])
