/**
 * One listener for each signal, however many calls share it: platforms take a growing number of listeners for a leak,
 * and warn of it.
 */

interface Watch {
  readonly tasks: Set<() => void>
  readonly listener: () => void
}

const watches = new WeakMap<AbortSignal, Watch>()

/** Runs `task` when the signal is aborted from now on. The returned function forgets the task. */
export function onAbort(signal: AbortSignal | undefined, task: () => void): () => void {
  if (signal === undefined) return () => {}
  const { tasks, listener } = watches.get(signal) ?? watch(signal)
  tasks.add(task)
  // A listener that is there already is not added again.
  signal.addEventListener('abort', listener)
  return () => {
    tasks.delete(task)
    if (tasks.size === 0) signal.removeEventListener('abort', listener)
  }
}

function watch(signal: AbortSignal): Watch {
  const tasks = new Set<() => void>()
  const listener = () => {
    for (const task of [...tasks]) task()
  }
  watches.set(signal, { tasks, listener })
  return { tasks, listener }
}
