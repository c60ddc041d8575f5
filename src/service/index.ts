/** What the package exports, for a program that starts the service by itself. */
export type { Clock } from '../common/clock.ts'
export { systemClock } from '../common/system-clock.ts'
export { type Service, type ServiceConfig, startService } from './service.ts'
