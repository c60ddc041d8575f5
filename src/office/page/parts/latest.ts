/** Requests of which only the latest counts, whatever the order of their answers. */
export class Latest {
  #asking = new AbortController()

  /**
   * Passes the answer to `show` or the failure to `fail`, unless another request or `drop` has come meanwhile, which
   * aborts the signal. Resolves when they have returned; throws what they throw.
   */
  async ask<T>(
    ask: (signal: AbortSignal) => Promise<T>,
    show: (answer: T) => void,
    fail: (error: unknown) => void,
  ): Promise<void> {
    this.drop()
    const { signal } = this.#asking
    let answer: T
    try {
      answer = await ask(signal)
    } catch (error) {
      if (!signal.aborted) fail(error)
      return
    }
    if (!signal.aborted) show(answer)
  }

  /** Forgets the request in flight. */
  drop(): void {
    this.#asking.abort()
    this.#asking = new AbortController()
  }
}
