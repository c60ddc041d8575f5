/** The types of compile-cache.js, which is not compiled. */
export function keepCompiledCode(): void
