/** What a browser keeps for the office between visits. */

/** A browser that stores nothing for sites throws; what it would keep then ends with the screen: undefined. */
export function useStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}
