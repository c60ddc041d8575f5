/**
 * All cases, in the order in which they are run. First what others rest on; what looks for an animal that must not be
 * there while the store is small, then what needs a large one; and last the requests that a server may not survive.
 */
import type { Case } from '../case.ts'
import {
  createdRecordCases,
  fetchedRecordCases,
  firstListCases,
  firstRecordCases,
  fullListCases,
  fullRecordCases,
  getCases,
  listCases,
  listedRecordCases,
  shownCases,
} from './animals.ts'
import { baseCases, errorCases, limitCases, sweepCases, versionCases } from './answers.ts'
import { authCases } from './auth.ts'
import { clientCases } from './clients.ts'
import { createCases, createdAtOnceCases, firstCreateCases } from './create.ts'
import { httpCases, otherEndpointCases, parserCases } from './http.ts'
import { openCases, openOverLimitCases, openSweepCases } from './open.ts'
import { atOnceCases, overLimitCases, refusedOverLimitCases, waitCases } from './over-limit.ts'
import { jsonCases, refusalCases } from './refuse.ts'

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
