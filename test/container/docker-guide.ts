/** The commands for one container in deploy/README.md. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { ROOT } from '../../scripts/release/tree.ts'

/** Commands that build, start, create the first key, back up, restore, and begin an update. */
export function guideCommands() {
  const section =
    readFileSync(`${ROOT}/deploy/README.md`, 'utf8')
      .split('\n## One container\n')[1]
      ?.split(/\n###? /)[0] ?? ''
  const [first = '', second = ''] = [...section.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(([, block = '']) => block)
  const [build, start, key, ...others] = first.split('\n')
  const lines = second.split('\n')
  assert(build && start && key, section)
  assert.deepEqual([others, lines.length], [[], 7], 'and no other commands')
  return { build, start, key, backup: lines.slice(0, 2), restore: lines.slice(2, 5), remove: lines.slice(5) }
}

/** Variables for the office of a container, and the files that they name. */
export function officeVariables() {
  const guide = readFileSync(`${ROOT}/deploy/README.md`, 'utf8')
  const block = guide.split('\n### With the office\n')[1]?.split('```')[1] ?? ''
  const env = [...block.matchAll(/ -e (\S+)/g)].map(([, variable = '']) => variable)
  const file = (name: string) => env.find((each) => each.startsWith(`${name}=`))?.split('=')[1] ?? ''
  const [cert, key] = [file('PETS_TLS_CERT'), file('PETS_TLS_KEY')]
  assert(cert !== '' && key !== '' && block.includes(`:${cert.slice(0, cert.lastIndexOf('/'))}:ro `), block)
  return { env, cert, key }
}
