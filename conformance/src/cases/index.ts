/**
 * All cases, in the order in which they are run. First what others rest on; what looks for an animal that must not be
 * there while the store is small, then what needs a large one; and last the requests that a server may not survive.
 */
import type { Case } from '../case.ts'
import { authCases } from './auth.ts'
import { baseCases, errorCases, versionCases } from './bodies.ts'
import { clientCases } from './clients.ts'
import { createCases, createdAtOnceCases, firstCreateCases } from './create.ts'
import { getCases } from './get.ts'
import { httpCases, otherEndpointCases, parserCases } from './http.ts'
import { limitCases } from './limits.ts'
import { firstListCases, fullListCases, listCases, shownCases } from './list.ts'
import { openCases, openOverLimitCases, openSweepCases } from './open.ts'
import { atOnceCases, overLimitCases, refusedOverLimitCases, waitCases } from './over-limit.ts'
import {
  createdRecordCases,
  fetchedRecordCases,
  firstRecordCases,
  fullRecordCases,
  listedRecordCases,
} from './records.ts'
import { jsonCases, refusalCases } from './refuse.ts'
import { sweepCases } from './sweeps.ts'

export const CASES: readonly Case[] = [
  ...firstListCases,
  ...firstCreateCases,
  ...firstRecordCases,
  ...shownCases,
  ...createCases,
  ...createdRecordCases,
  ...createdAtOnceCases,
  ...listedRecordCases,
  ...listCases,
  ...getCases,
  ...fetchedRecordCases,
  ...refusalCases,
  ...jsonCases,
  ...authCases,
  ...baseCases,
  ...errorCases,
  ...limitCases,
  ...fullListCases,
  ...fullRecordCases,
  ...openCases,
  ...otherEndpointCases,
  ...overLimitCases,
  ...waitCases,
  ...atOnceCases,
  ...refusedOverLimitCases,
  ...openOverLimitCases,
  ...versionCases,
  ...clientCases,
  ...httpCases,
  ...parserCases,
  ...sweepCases,
  ...openSweepCases,
]
