/**
 * The types of the platform that the declarations of this package name: those of the program that uses it, or the least
 * that is used of them where it declares none, so that it compiles without the DOM and without `@types/node`.
 */
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
