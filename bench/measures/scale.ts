/**
 * Cost by size: the same workloads over a thousand, a hundred thousand and ten million animals, in one run. The cost of
 * a request is the inverse of its rate; flat means that no request walks what it does not answer with.
 */
import type { Target } from '../target.ts'
import type { Workload } from '../workloads.ts'
import { type Conditions, measure, type Series } from './throughput.ts'

export const SCALE_SIZES = [1_000, 100_000, 10_000_000]
export const SCALE_WORKLOADS = ['list20', 'get', 'create']

export async function measureScale(
  target: Target,
  workloads: readonly Workload[],
  conditions: Conditions,
): Promise<Series[]> {
  const all = workloads
    .filter(({ name }) => SCALE_WORKLOADS.includes(name))
    .flatMap((workload) => SCALE_SIZES.map((animals): Series => ({ workload, target, animals, samples: [] })))
  await measure(all, conditions)
  return all
}
