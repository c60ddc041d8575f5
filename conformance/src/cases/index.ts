/** All cases, in the order in which they run. Last come those that may bring a ban or end a server, and the sweeps. */
import type { Case } from '../case.ts'
import { animalCases } from './animals.ts'
import { authCases } from './auth.ts'
import { openCases, strictOpenCases } from './open.ts'
import { keyCases, successCases } from './operations.ts'
import { overLimitCases } from './over-limit.ts'
import { refusalCases } from './refusals.ts'
import { remainingFalls, sweepCases } from './sweeps.ts'

/** The sections of the report, in its order. */
export const SECTIONS: Readonly<Record<string, readonly Case[]>> = {
  Operations: successCases,
  Animals: animalCases,
  'Invalid animals': refusalCases,
  Authentication: [...keyCases, ...authCases],
  'Limit headers': [remainingFalls],
  'Open points': openCases,
  'Over the limit': overLimitCases,
  'HTTP itself': strictOpenCases,
  'Every answer': sweepCases,
}
export const CASES: readonly Case[] = Object.values(SECTIONS).flat()
