/** What tests use of the kit. The package exports no code. */
export { CASES } from './cases/index.ts'
export { main } from './command.ts'
export { isRequirement, STATEMENTS } from './interface.ts'
export { OUTCOMES, type Report } from './reports/report.ts'
export { textReport } from './reports/text-report.ts'
export { type ConformanceOptions, parseBaseUrl, runConformance } from './run.ts'
export { CannotStart } from './verdicts.ts'
