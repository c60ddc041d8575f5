/** A thread that plays histories with a seed of its own, until it has done so or is told to end. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Plan } from './histories.ts'
import { playInShelter } from './lanes.ts'

const ended = new AbortController()
parentPort?.once('message', () => ended.abort())
parentPort?.postMessage(await playInShelter(workerData as Plan, ended.signal))
parentPort?.close()
