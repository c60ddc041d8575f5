#!/usr/bin/env node
/**
 * The command `pet-adoption`. Runs the program on the current Node if that is new enough, or else on the Node that npm
 * installed with the package. Plain JavaScript that runs on Node 20 or later.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The version of Node on which the program is tested, and the oldest on which it runs. */
const TESTED = 26
const OLDEST = 24

// Its messages then name the command that the person typed.
process.env.PETS_STARTED_AS = 'pet-adoption'
const program = new URL('../src/cli/pets.js', import.meta.url)
const major = Number.parseInt(process.versions.node, 10)
const own = major < TESTED ? ownNode() : undefined

if (own !== undefined) runOn(own)
else if (major >= OLDEST) await import(program.href)
else {
  process.stderr.write(
    `pet-adoption needs Node ${OLDEST} or later, and this is ${process.version}; install a newer one, or install the package without --omit=optional.\n`,
  )
  process.exitCode = 1
}

/** @returns {string | undefined} */
function ownNode() {
  const { platform, arch } = process
  const name =
    platform === 'win32'
      ? 'node-win'
      : platform === 'darwin' && arch === 'arm64'
        ? 'node-bin-darwin'
        : `node-${platform}`
  const file = platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  try {
    return createRequire(import.meta.url).resolve(`${name}-${arch}/${file}`)
  } catch {
    return undefined
  }
}

/** @param {string} node */
function runOn(node) {
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'])
    process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1
    if (signal !== null) process.stderr.write(`The service was ended by ${signal}.\n`)
  })
}
