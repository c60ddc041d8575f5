/** The commands about one container, as deploy/README.md and README.md have them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { ROOT } from '../../scripts/release/tree.ts'

/** Of deploy/README.md: the three lines of the block, and the one with which an update begins. */
export function guideCommands() {
  const section =
    readFileSync(`${ROOT}/deploy/README.md`, 'utf8').split('\n## One container\n')[1]?.split('\n## ')[0] ?? ''
  const block = /```sh\n([\s\S]*?)\n```/.exec(section)?.[1] ?? ''
  const [build, start, key, ...others] = block.split('\n')
  const [remove, ...more] = inlineIn(section)
  assert(build && start && key && remove, section)
  assert.deepEqual([...others, ...more], [], 'and no other commands')
  return { build, start, key, remove }
}

/** Of README.md, in their order. */
export function readmeCommands(): readonly string[] {
  return inlineIn(readFileSync(`${ROOT}/README.md`, 'utf8'))
}

function inlineIn(text: string): readonly string[] {
  return [...text.matchAll(/`(docker [^`]+)`/g)].map(([, command = '']) => command)
}
