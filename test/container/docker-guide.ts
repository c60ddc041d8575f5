/** The commands about one container, as deploy/README.md has them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { ROOT } from '../../scripts/release/tree.ts'

/** Of deploy/README.md: the three lines of the block, and the one with which an update begins. */
export function guideCommands() {
  const section =
    readFileSync(`${ROOT}/deploy/README.md`, 'utf8')
      .split('\n## One container\n')[1]
      ?.split(/\n###? /)[0] ?? ''
  const block = /```sh\n([\s\S]*?)\n```/.exec(section)?.[1] ?? ''
  const [build, start, key, ...others] = block.split('\n')
  const [remove, ...more] = inlineIn(section)
  assert(build && start && key && remove, section)
  assert.deepEqual([...others, ...more], [], 'and no other commands')
  return { build, start, key, remove }
}

/** Of deploy/README.md: the variables that the office of a container gets, and the files that it reads by them. */
export function officeVariables() {
  const guide = readFileSync(`${ROOT}/deploy/README.md`, 'utf8')
  const block = guide.split('\n### With the office\n')[1]?.split('```')[1] ?? ''
  const env = [...block.matchAll(/ -e (\S+)/g)].map(([, variable = '']) => variable)
  const file = (name: string) => env.find((each) => each.startsWith(`${name}=`))?.split('=')[1] ?? ''
  const [cert, key] = [file('PETS_TLS_CERT'), file('PETS_TLS_KEY')]
  assert(cert !== '' && key !== '' && block.includes(`:${cert.slice(0, cert.lastIndexOf('/'))}:ro `), block)
  return { env, cert, key }
}

function inlineIn(text: string): readonly string[] {
  return [...text.matchAll(/`(docker [^`]+)`/g)].map(([, command = '']) => command)
}
