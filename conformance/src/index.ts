/**
 * What the service and the tests of this repository use of the kit. The published package is a program and exports no
 * code.
 */
export { CASES } from './cases/index.ts'
export { clientCommand } from './clients/command.ts'
export { CLIENT_CASES, judgeClient } from './clients/judge.ts'
export { checkCommand } from './command.ts'
export { curlLine } from './http/curl.ts'
export { createPet } from './http/request.ts'
export { htmlReport } from './reports/html-report.ts'
export { junitReport } from './reports/junit-report.ts'
export { matrixPage } from './reports/matrix.ts'
export { OUTCOMES, type Report } from './reports/report.ts'
export { textReport } from './reports/text-report.ts'
export { CannotStart, type ConformanceOptions, type Progress, parseBaseUrl, runConformance } from './run.ts'
export { STATEMENTS } from './statements.ts'
export { FIRST_SUITE, KIT_VERSION, SUITE_VERSION, USER_AGENT } from './suite.ts'
