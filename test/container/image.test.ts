/**
 * The image of deploy/Dockerfile, built from a release, and its service, started as a container engine would start it. Takes
 * minutes: `npm test -- test/container`.
 */
import assert from 'node:assert/strict'
import { cpSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { ROOT } from '../../scripts/release/tree.ts'
import { createWith } from '../release/journey.ts'
import { debianFor, releaseOfRun, version } from '../release/release-of-run.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { call } from '../support/http.ts'
import { freePort, TIMEOUT_MS } from '../support/servers/servers.ts'
import type { RunningCommand } from '../support/service.ts'
import { Buildah, buildahNeeded, type ImageConfig } from './buildah.ts'
import { Docker } from './docker.ts'
import { guideCommands, officeVariables } from './docker-guide.ts'
import { followProductionGuide, LATER } from './production-guide.ts'
import { endNow, served } from './served.ts'

const DOCKERFILE = `${ROOT}/deploy/Dockerfile`
const BUILD_MS = 1_200_000
describe('the image', { ...buildahNeeded, timeout: BUILD_MS }, () => {
  const buildah = new Buildah()
  /** A release and deploy/, from which the image is built. */
  const clone = temporaryFolder()
  const guide = guideCommands()
  let config: ImageConfig
  let container: string
  let env: string[]
  let port: number
  let operatorPort: number
  let pid: number
  let running: RunningCommand
  let debian: string

  before(
    async () => {
      const { release } = await releaseOfRun()
      cpSync(release, `${clone}/dist`, { recursive: true })
      cpSync(`${ROOT}/deploy`, `${clone}/deploy`, { recursive: true })
      const suite = /^FROM debian:(\w+)-slim/m.exec(readFileSync(DOCKERFILE, 'utf8'))?.[1] ?? ''
      debian = await buildah.provideDebian(suite)
      await new Docker(buildah, clone).run(guide.build)
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
    assert.deepEqual([config.Entrypoint, config.Cmd, config.User], [['pets'], ['serve', '--create'], '1000:1000'])
    assert.deepEqual(Object.keys(config.ExposedPorts), ['8080/tcp', '8081/tcp'])
    assert(config.Env.includes('PETS_PORT=8080'))
    assert.deepEqual(Object.keys(config.Volumes), ['/data'])
    assert(config.Env.includes('TMPDIR=/data'), 'the root may be read-only, and people import files in the office')
    assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^Uid:\t1000\t1000\t1000\t1000$/m)
    assert.match(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), /\/node\0\S*\/pets\.js\0serve\0--create\0$/)
  })

  it('is ready, shows pages, and stores an animal for the first key that the command issues in it', async () => {
    assert.equal((await fetch(`http://127.0.0.1:${operatorPort}/readyz`)).status, 200)
    const page = await fetch(`http://127.0.0.1:${port}/`)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<html/)
    const key = await buildah.exec(container, ['pets', 'keys', 'create', '--create', '--plan', 'free'], env)
    await createWith(`http://127.0.0.1:${port}/v1`, key)
    assert.match(await buildah.exec(container, ['pets', 'export'], env), /"name":"Rex"/)
  })

  it('is healthy by its own health check while the service is ready, and not without it', async () => {
    const [kind, ...check] = config.Healthcheck.Test
    assert.equal(kind, 'CMD')
    await buildah.exec(container, check, env)
    const other = ['PETS_DATABASE=sqlite:/data/other.db', `PETS_OPERATOR_PORT=${await freePort()}`]
    await assert.rejects(buildah.exec(container, check, other))
  })

  it('has the office with TLS by the variables of the guide, healthy by the same check', async () => {
    const [, ...check] = config.Healthcheck.Test
    const office = officeVariables()
    const files = makeCertificate(temporaryFolder())
    const withOffice = await buildah.create('pets')
    const put = (from: string, to: string) =>
      buildah.run(['copy', '--quiet', '--chown', config.User, withOffice, from, to])
    await put(files.cert, office.cert)
    await put(files.key, office.key)
    const operatorPort = await freePort()
    const env = [...office.env, `PETS_PORT=${await freePort()}`, `PETS_OPERATOR_PORT=0.0.0.0:${operatorPort}`]
    const officePid = await served(buildah.start(withOffice, [...config.Entrypoint, ...config.Cmd], env))
    try {
      await buildah.exec(withOffice, check, env)
      const headers = { host: 'office.example:8081' }
      const page = await call(operatorPort, { ca: readFileSync(files.cert), path: '/', headers })
      assert.deepEqual([page.status, page.body.includes('<html')], [200, true])
    } finally {
      endNow(officePid)
    }
  })

  it('runs by the guide on a read-only root, and is backed up, restored and updated with its volume', {
    timeout: BUILD_MS,
  }, async () => {
    const docker = new Docker(buildah, clone)
    await docker.run(guide.start)
    const key = await docker.run(guide.key)
    const create = () => createWith(`http://127.0.0.1:${docker.portOf('pets')}/v1`, key)
    await create()
    for (const line of guide.backup) await docker.run(line)
    await create()
    for (const line of [...guide.restore, ...guide.remove]) await docker.run(line)
    // The same image is used as the image of a new release.
    await docker.run(guide.start)
    await create()
    const { body } = await call(docker.portOf('pets'), { key })
    assert.deepEqual(
      (JSON.parse(body) as { id: number }[]).map(({ id }) => id),
      [2, 1],
    )
    for (const line of guide.remove) await docker.run(line)
  })

  it('is not needed for any step of docs/production.md', {
    timeout: BUILD_MS,
  }, async () => {
    const root = await buildah.run(['mount', await buildah.create(debian)])
    const printed = await followProductionGuide(root, `${clone}/dist/${debianFor(process.arch)}`)
    const lines = `The database is sound: 41 animals; SUCCESS: /etc/prometheus/prometheus.yml is valid;
      installed: ${LATER}; installed: ${version.replace('-', '~')}; animals: 42; office /: 200; office /metrics: 404; interface: 200; {"code":"unavailable"`
    for (const line of lines.split(/;\s+/)) assert(printed.includes(line), `${line}\n${printed}`)
  })

  it('finishes on SIGTERM, with exit code 0', { timeout: TIMEOUT_MS }, async () => {
    process.kill(pid, 'SIGTERM')
    assert.equal(await running.ended, 0)
  })
})
