/** A few requests tell whether there is anything to check, before two hundred cases fail for the same reason. */
import type { Case } from './case.ts'
import { listed, refusedCreation } from './fixtures.ts'
import { readLimitHeaders } from './http/limit-headers.ts'
import { listPets, WITH_LIMITED_KEY } from './http/request.ts'
import { type Exchange, NoAnswer } from './http/transport.ts'
import { int64OfJsonNumber } from './interface.ts'
import { isJsonType, membersOf, numberText, tryJson } from './json-body.ts'
import type { Kit } from './kit.ts'
import { AllowanceSpent } from './pacing.ts'
import { CannotStart, RunOver } from './verdicts.ts'

/** Throws CannotStart when nothing answers, when what answers is something else, or when a key is refused. */
export async function checkStart(kit: Kit, cases: readonly Case[]): Promise<{ readonly holdsAnimals: boolean }> {
  try {
    const list = await kit.once(listed)
    if (list.answer.status === 401)
      throw new CannotStart(`The key is refused with 401 at ${kit.base.href}; give a valid one with --key.`)
    if (!isOfTheInterface(list) && !isOfTheInterface(await kit.once(refusedCreation))) throw notTheInterface(kit, list)
    const category = categoryIn(list)
    if (category !== undefined) kit.sawCategory(category)
    const found = { holdsAnimals: animalsIn(list).length > 0 }
    if (!kit.hasLimitedKey || !cases.some(({ needs }) => needs?.includes('limited key'))) return found
    const limited = await kit.send(listPets('?limit=1', WITH_LIMITED_KEY))
    if (limited.answer.status === 401) {
      throw new CannotStart(
        `The limited key is refused with 401 at ${kit.base.href}; give a valid one with --limited-key.`,
      )
    }
    return found
  } catch (error) {
    if (error instanceof NoAnswer)
      throw new CannotStart(`No answer from ${kit.base.href}: ${error.message}.`, { cause: error })
    if (error instanceof AllowanceSpent || error instanceof RunOver)
      throw new CannotStart(`There is nothing to check with: ${error.message}.`, { cause: error })
    throw error
  }
}

/** The category of the first animal of a list; undefined where there is none, or where the list is wrong. */
function categoryIn(list: Exchange): bigint | undefined {
  const number = numberText(membersOf(animalsIn(list)[0])?.get('categoryId'))
  return number === undefined ? undefined : int64OfJsonNumber(number)
}

/** None where the list is wrong. */
function animalsIn({ answer }: Exchange): readonly unknown[] {
  const pets = tryJson(answer)?.value
  return Array.isArray(pets) ? pets : []
}

/** What a server says of a path that it does not have, or has somewhere else. */
const ELSEWHERE = [301, 302, 303, 307, 308, 404, 405]

/** An answer that an operation of the interface could give, though it may be wrong in some ways. */
function isOfTheInterface({ answer }: Exchange): boolean {
  return !ELSEWHERE.includes(answer.status) && (isJsonType(answer) || readLimitHeaders(answer) !== undefined)
}

function notTheInterface(kit: Kit, { answer }: Exchange): CannotStart {
  const type = answer.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'no Content-Type'
  return new CannotStart(
    `${kit.base.href} is not a base address of the interface: GET ${kit.base.pathname}/pets is answered ${answer.status} with ${type}. Is it the right address?`,
  )
}
