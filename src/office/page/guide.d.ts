/** A guide, as HTML (src/assets/build.ts). */
declare module '*.md' {
  const html: string
  export default html
}
