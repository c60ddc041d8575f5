/** Runs the commands of a document's console blocks in order, in one shell. */
import { spawn } from 'node:child_process'
import { delimiter, resolve } from 'node:path'
import { text } from 'node:stream/consumers'

const ROOT = resolve(import.meta.dirname, '../..')
const MARK = '--- next ---'

interface Step {
  readonly command: string
  /** The lines below it. */
  readonly shown: string
  readonly printed: string
}

/** `pets` is on the path. */
export async function playConsole(
  markdown: string,
  { cwd = ROOT, env = {}, replace = (command: string) => command },
): Promise<readonly Step[]> {
  const blocks = [...markdown.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const steps = blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((step) => {
      const [command = '', ...shown] = step.trimEnd().split('\n')
      return { command: replace(command), shown: shown.join('\n') }
    })
  const script = steps.map(({ command }) => `${command}\necho; echo '${MARK}'`).join('\n')
  const path = `${ROOT}${delimiter}${process.env.PATH}`
  const shell = spawn('bash', ['-c', `exec 2>&1; ${script}`], {
    cwd,
    env: { ...process.env, PATH: path, PETS_DATABASE: 'sqlite:data/pets.db', ...env },
  })
  const outputs = (await text(shell.stdout)).split(MARK)
  return steps.map((step, n) => ({ ...step, printed: (outputs[n] ?? '').trim() }))
}
