/** The types of compile-cache.js, which is not compiled. */
export function keepCompiledCode(): void
export function privateFolder(parent: string, name: string): string | undefined
