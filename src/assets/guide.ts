/**
 * A guide of `docs/` as a part of a page: its Markdown as HTML, without its title, with its pictures in it, so that it
 * needs nothing but the page. What leads to other files leads nowhere there, and stays as words.
 */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'
import { Marked, type Tokens } from 'marked'

/** For esbuild: `import html from '….md'`. Fails if a picture is not there. */
export const guides: Plugin = {
  name: 'guides',
  setup({ onLoad }) {
    onLoad({ filter: /\.md$/ }, async ({ path }) => {
      return { contents: `export default ${JSON.stringify(await guideHtml(path))}`, loader: 'js' }
    })
  },
}

async function guideHtml(path: string): Promise<string> {
  const marked = new Marked({
    async: true,
    async walkTokens(token) {
      if (token.type !== 'image') return
      const picture = await readFile(join(dirname(path), (token as Tokens.Image).href))
      token.href = `data:image/png;base64,${picture.toString('base64')}`
    },
    renderer: {
      heading: ({ depth }) => (depth === 1 ? '' : false),
      link({ tokens }) {
        return this.parser.parseInline(tokens)
      },
    },
  })
  return marked.parse(await readFile(path, 'utf8'))
}
