/** Types of the platform, or the least that the client uses of them if a program declares neither the DOM nor Node. */
type Of<Name extends string, Least> = typeof globalThis extends Record<Name, { prototype: infer Type }> ? Type : Least

export type PlatformHeaders = Of<
  'Headers',
  { get(name: string): string | null; set(name: string, value: string): void }
>
export type PlatformSignal = Of<'AbortSignal', { readonly aborted: boolean; readonly reason: unknown }>
export type PlatformUrl = Of<'URL', { readonly href: string }>
/** The platform's `fetch`, or a function like it. */
export type PlatformFetch = typeof globalThis extends { fetch: infer Type }
  ? Type
  : (address: string, request: object) => Promise<object>
