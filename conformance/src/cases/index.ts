/**
 * All cases, in the order in which they run. First those that others rest on; then, in a small store, those that look
 * for an animal that must not be there; then those that need many animals. Last, those that may crash a server.
 */
import type { Case } from '../case.ts'
import * as animals from './animals.ts'
import * as answers from './answers.ts'
import { authCases } from './auth.ts'
import { clientCases } from './clients.ts'
import * as create from './create.ts'
import { otherEndpointCases } from './endpoints.ts'
import * as http from './http.ts'
import * as open from './open.ts'
import * as overLimit from './over-limit.ts'
import { jsonCases, refusalCases } from './refuse.ts'

export const CASES: readonly Case[] = [
  animals.firstListCases,
  create.firstCreateCases,
  animals.firstRecordCases,
  animals.shownCases,
  create.createCases,
  animals.createdRecordCases,
  create.createdAtOnceCases,
  animals.listedRecordCases,
  animals.listCases,
  animals.getCases,
  animals.fetchedRecordCases,
  refusalCases,
  jsonCases,
  authCases,
  answers.aboutEachKind,
  animals.fullListCases,
  animals.fullRecordCases,
  open.openCases,
  otherEndpointCases,
  overLimit.overLimitCases,
  overLimit.waitCases,
  overLimit.atOnceCases,
  overLimit.refusedOverLimitCases,
  open.openOverLimitCases,
  answers.versionCases,
  clientCases,
  http.httpCases,
  http.parserCases,
  answers.sweepCases,
  open.openSweepCases,
].flat()
