/** Warns, once for each operation, of what the service says will be removed or is deprecated (RFC 8594, RFC 9745). */

export class Removals {
  readonly #told = new Set<string>()

  /** The headers of any response. In a browser, those that the service exposes. */
  see(method: string, path: string, headers: Headers): void {
    const operation = `${method} ${path.replace(/\?.*/, '').replace(/[^/]*\d$/, '{petId}')}`
    const sunset = headers.get('Sunset')
    if ((sunset === null && !headers.has('Deprecation')) || this.#told.has(operation)) return
    this.#told.add(operation)
    const at = new Date(sunset ?? Number.NaN)
    const until = Number.isNaN(at.getTime()) ? '' : `, and removed on ${at.toUTCString()}`
    warn(`${operation} is deprecated${until}, says the pet adoption service`)
  }
}

/** As the platform warns of what is deprecated: Node, Deno and Bun can silence it, a browser has only its console. */
function warn(message: string): void {
  const { process }: { process?: { emitWarning?(message: string, type: string): void } } = globalThis as object
  if (process?.emitWarning === undefined) console.warn(`DeprecationWarning: ${message}`)
  else process.emitWarning(message, 'DeprecationWarning')
}
