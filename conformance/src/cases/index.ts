/**
 * All cases, in the order in which they are run. First what others rest on; what looks for an animal that must not be
 * there while the store is small, then what needs a large one; and last the requests that a server may not survive.
 */
import type { Case } from '../case.ts'
import { atOnceCases, createdAtOnceCases } from './at-once.ts'
import { authCases } from './auth.ts'
import { baseCases, versionCases } from './base.ts'
import { clientCases } from './clients.ts'
import { createCases, firstCreateCases } from './create.ts'
import { openCreationCases } from './create-open.ts'
import { errorCases } from './errors.ts'
import { getCases } from './get.ts'
import { httpCases, otherEndpointCases, parserCases } from './http.ts'
import { jsonCases } from './json.ts'
import { limitCases } from './limits.ts'
import { firstListCases, fullListCases, listCases, shownCases } from './list.ts'
import { overLimitCases, refusedOverLimitCases } from './over-limit.ts'
import {
  createdRecordCases,
  fetchedRecordCases,
  firstRecordCases,
  fullRecordCases,
  listedRecordCases,
} from './records.ts'
import { refusalCases } from './refuse.ts'
import { sweepCases } from './sweeps.ts'
import { waitCases } from './waits.ts'

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
  ...openCreationCases,
  ...otherEndpointCases,
  ...overLimitCases,
  ...waitCases,
  ...atOnceCases,
  ...refusedOverLimitCases,
  ...versionCases,
  ...clientCases,
  ...httpCases,
  ...parserCases,
  ...sweepCases,
]
