/** What the tests of this repository use of the kit. The published package is a program and exports no code. */
export { CASES } from './cases/index.ts'
export { main } from './command.ts'
export { isRequirement, KIT_VERSION, STATEMENTS, SUITE_VERSION, USER_AGENT } from './interface.ts'
export { htmlReport, junitReport } from './reports/markup-reports.ts'
export { OUTCOMES, type Report } from './reports/report.ts'
export { textReport } from './reports/text-report.ts'
export { CannotStart, type ConformanceOptions, NoBaseUrl, type Progress, parseBaseUrl, runConformance } from './run.ts'
