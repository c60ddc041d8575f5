/** A number with its noun, as in "1 animal" and "2 animals". `figure` writes the number. */
export function counted(n: number, noun: string, figure: (n: number) => string = String): string {
  return `${figure(n)} ${noun}${n === 1 ? '' : 's'}`
}
