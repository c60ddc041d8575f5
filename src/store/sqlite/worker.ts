/** The entry of a thread of a service (file/file-thread.ts). */
import { workerData } from 'node:worker_threads'
import { systemClock } from '../../common/system-clock.ts'
import type { ThreadData } from './file/file-thread.ts'
import { workFor } from './work.ts'

await workFor(workerData as ThreadData, systemClock, true)
