/** All cases, in the order in which they are run and reported. */

import type { Case } from '../case.ts'
import { authCases } from './auth.ts'
import { baseCases, versionCases } from './base.ts'
import { createCases } from './create.ts'
import { errorCases } from './errors.ts'
import { getCases } from './get.ts'
import { httpCases, otherEndpointCases } from './http.ts'
import { limitCases } from './limits.ts'
import { listCases } from './list.ts'
import { overLimitCases } from './over-limit.ts'
import { recordCases } from './records.ts'
import { sweepCases } from './sweeps.ts'

export const CASES: readonly Case[] = [
  ...baseCases,
  ...recordCases,
  ...listCases,
  ...createCases,
  ...getCases,
  ...otherEndpointCases,
  ...authCases,
  ...errorCases,
  ...limitCases,
  ...overLimitCases,
  ...versionCases,
  ...httpCases,
  ...sweepCases,
]
