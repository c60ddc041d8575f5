/** A guide, as HTML (src/assets/guide.ts). */
declare module '*.md' {
  const html: string
  export default html
}
