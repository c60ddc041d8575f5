/** The forms in which words of people are compared: headings and values of files, and names of categories. */

/** A name in the form in which it is compared: `plain`, and without accents. */
export function folded(text: string): string {
  return plain(text.normalize('NFKD').replace(/[\u0300-\u036f]/g, ''))
}

/** A heading or a value in the form in which it is compared: lower case, trimmed, without `_`, `-` and spaces. */
export function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '')
}
