/**
 * Questions of which only the latest counts: a later one replaces an earlier one, whatever order their answers come in.
 */
export class Latest {
  #asking = new AbortController()

  /**
   * Asks, and hands on the answer or the failure; neither if another question has been asked meanwhile, or `drop`
   * called. The signal says so to what asks. Resolves when one of them is done; throws what `show` or `fail` throws.
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

  /** Nothing is waited for any more. */
  drop(): void {
    this.#asking.abort()
    this.#asking = new AbortController()
  }
}
