/** Runs tasks of some milliseconds, each in its own turn of the event loop. */
export function turnQueue(): (begin: () => void) => void {
  const waiting: (() => void)[] = []
  const next = () => {
    const [begin] = waiting
    begin?.()
    waiting.shift()
    if (waiting.length > 0) setImmediate(next)
  }
  return (begin) => {
    waiting.push(begin)
    if (waiting.length === 1) setImmediate(next)
  }
}
