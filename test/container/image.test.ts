/**
 * The image of deploy/Dockerfile: built from a release, and what is in it started as its user, the way a container engine
 * would. Takes minutes: `npm run test:container`.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { headCommit, ROOT } from '../../scripts/release/tree.ts'
import { makeRelease } from '../../scripts/release.ts'
import { temporaryFolder } from '../support/folder.ts'
import { endWithTests, freePort, PATIENCE_MS } from '../support/servers.ts'
import { until } from '../support/until.ts'
import { Buildah, buildahNeeded, type ImageConfig } from './buildah.ts'
import { followSystemdGuide } from './systemd-guide.ts'

const DOCKERFILE = `${ROOT}/deploy/Dockerfile`
const BUILD_MS = 300_000
const REX = '{"name":"Rex","categoryId":1}'

/** Reads the service's log until it serves; resolves to its process, which the machine and the container both see. */
async function served(child: ChildProcess): Promise<number> {
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => lines.push(line))
  }
  const serving = () => lines.find((line) => line.includes('"msg":"serving'))
  await until(`it serves: ${lines.join('\n')}`, async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${lines.join('\n')}`)
    return serving() !== undefined
  })
  const { pid } = JSON.parse(serving() ?? '') as { pid: number }
  process.once('exit', () => endNow(pid))
  return pid
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

async function createAnimal(port: number, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const made = await fetch(`http://127.0.0.1:${port}/v1/pets`, { method: 'POST', headers, body: REX })
  assert.equal(made.status, 201, await made.text())
}

describe('the image', { ...buildahNeeded, timeout: BUILD_MS }, () => {
  const buildah = new Buildah()
  let config: ImageConfig
  let container: string
  let env: string[]
  let port: number
  let operatorPort: number
  let pid: number
  let running: ChildProcess
  let debian: string
  let executable: string

  before(
    async () => {
      const context = temporaryFolder()
      await makeRelease(`${context}/release`, await headCommit())
      // What the Dockerfile is given of a release, and nothing else.
      mkdirSync(`${context}/dist`)
      for (const name of readdirSync(`${context}/release`)) {
        if (/^SHA256SUMS$|^pets-.*-linux-/.test(name)) linkSync(`${context}/release/${name}`, `${context}/dist/${name}`)
      }
      executable = `${context}/dist/${readdirSync(`${context}/dist`).find((name) => name !== 'SHA256SUMS')}`
      const suite = /^FROM debian:(\w+)-slim/m.exec(readFileSync(DOCKERFILE, 'utf8'))?.[1] ?? ''
      debian = await buildah.provideDebian(suite)
      await buildah.build('pets', DOCKERFILE, context)
      config = await buildah.configOf('pets')
      container = await buildah.create('pets')
      port = await freePort()
      operatorPort = await freePort()
      env = [`PETS_PORT=${port}`, `PETS_OPERATOR_PORT=${operatorPort}`, 'PETS_PAGES=true']
      running = buildah.start(container, [...config.Entrypoint, ...config.Cmd], env)
      pid = await served(running)
    },
    { timeout: BUILD_MS },
  )
  after(() => endNow(pid))

  it('runs pets serve as a user without rights, and declares its ports and its volume', () => {
    assert.deepEqual([config.Entrypoint, config.Cmd, config.User], [['pets'], ['serve'], '1000:1000'])
    assert.deepEqual(Object.keys(config.ExposedPorts), ['8080/tcp', '8081/tcp'])
    assert.deepEqual(Object.keys(config.Volumes), ['/data'])
    assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^Uid:\t1000\t1000\t1000\t1000$/m)
    assert.match(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), /^\S*pets\0serve\0$/)
  })

  it('is ready, shows pages, and stores an animal for the first key that the command issues in it', async () => {
    assert.equal((await fetch(`http://127.0.0.1:${operatorPort}/readyz`)).status, 200)
    const page = await fetch(`http://127.0.0.1:${port}/`)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<html/)
    const key = await buildah.exec(container, ['pets', 'keys', 'create', '--plan', 'free'], env)
    await createAnimal(port, key)
    assert.match(await buildah.exec(container, ['pets', 'export'], env), /"name":"Rex"/)
  })

  it('is healthy by its own health check while the service is ready, and not without it', async () => {
    const [kind, ...check] = config.Healthcheck.Test
    assert.equal(kind, 'CMD')
    await buildah.exec(container, check, env)
    const other = await freePort()
    await assert.rejects(buildah.exec(container, check, [`PETS_OPERATOR_PORT=${other}`]))
  })

  it('needs to write nowhere but in its volume', async () => {
    const root = await buildah.run(['mount', await buildah.create('pets')])
    const settings = [`PETS_PORT=${await freePort()}`, `PETS_OPERATOR_PORT=${await freePort()}`]
    const script = `
      mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -t proc proc "$1/proc" || exit
      mount -t tmpfs -o uid=1000,gid=1000,mode=700 tmpfs "$1/data" || exit
      root=$1; shift
      exec chroot --userspec=1000:1000 "$root" env -i -C /data "$@"`
    const command = [...config.Env, ...settings, ...config.Entrypoint, ...config.Cmd, '--first-key']
    const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', root, ...command])
    endWithTests(child)
    const alone = await served(child)
    try {
      const key = readFileSync(`/proc/${alone}/root/data/first-key`, 'utf8').trim()
      await createAnimal(Number(settings[0]?.split('=')[1]), key)
    } finally {
      endNow(alone)
    }
  })

  it('is not needed: the guide for systemd installs, updates, goes back and removes', {
    timeout: BUILD_MS,
  }, async () => {
    const printed = await followSystemdGuide(buildah, debian, executable, [await freePort(), await freePort()])
    assert.match(
      printed,
      /HTTP\/1\.1 201 Created\r?\npets 700\nHTTP\/1\.1 201 Created\r?\nafter the update: 2\ngone back: 1\n/,
    )
    assert.match(printed, /\npets\.db(\n|$)/, 'the data stays')
  })

  it('finishes on SIGTERM, with exit code 0', { timeout: PATIENCE_MS }, async () => {
    const ended = new Promise((resolve) => running.once('exit', resolve))
    process.kill(pid, 'SIGTERM')
    assert.equal(await ended, 0)
  })
})
