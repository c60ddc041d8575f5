/** All cases in order. Cases that might cause a ban or crash a server come last, before the sweeps. */
import type { Case } from '../case.ts'
import { animalCases } from './animals.ts'
import { authCases } from './auth.ts'
import { openCases, strictOpenCases } from './open.ts'
import { keyCases, successCases } from './operations.ts'
import { overLimitCases } from './over-limit.ts'
import { refusalCases } from './refusals.ts'
import { remainingFalls, sweepCases } from './sweeps.ts'

/** In the order of the report. */
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
