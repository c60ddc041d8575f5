/** The thread that writes the service's file (file-writer.ts). */
import { workerData } from 'node:worker_threads'
import { systemClock } from '../../../common/system-clock.ts'
import { writeFor } from './file-writer.ts'
import type { WriterData } from './writer-messages.ts'

writeFor(workerData as WriterData, systemClock)
