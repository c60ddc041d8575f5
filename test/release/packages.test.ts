/** The npm packages of a release as their users get them, and a release that is built again. See debian.test.ts. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Commit, ROOT } from '../../scripts/release/tree.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'
import {
  BUILD_MS,
  CLIENT,
  debianFor,
  dpkgNeeded,
  isInTheMaking,
  KIT,
  NODE,
  releaseOfRun,
  version,
} from './release-of-run.ts'
import { newUser, type User } from './user.ts'

const run = promisify(execFile)

let release: string
let commit: Commit

/** Installs a package by the first line that its README shows; resolves to the second line, which uses the package. */
async function install(name: string, user: User): Promise<string> {
  user.put(name, await readFile(`${release}/${name}`))
  user.put('package.json', '{ "private": true, "type": "module" }')
  const readme = await run('tar', ['--extract', '--to-stdout', '--file', `${release}/${name}`, 'package/README.md'])
  const [install = '', use = ''] = /```sh\n([\s\S]*?)```/.exec(readme.stdout)?.[1]?.split('\n') ?? []
  assert.match(install, /^npm install \.\//)
  const { code, stderr } = await user.run(['sh', '-c', install])
  assert.equal(code, 0, stderr)
  return use
}

async function installedIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith('.'))
}

/** A clone of the commit with the packages of this one, and a way to run `npm run release` in it. */
async function clone() {
  const folder = temporaryFolder()
  await run('git', ['clone', '--quiet', '--shared', ROOT, folder])
  // Hard links, or copies on another disk. With a symbolic link the packages would be outside the clone.
  await run('sh', ['-c', 'cp -al "$1" "$2" || cp -a "$1" "$2"', 'sh', `${ROOT}/node_modules`, folder])
  const { scripts } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8')) as { scripts: { release: string } }
  const env = { ...process.env, PATH: `${folder}/node_modules/.bin${delimiter}${process.env.PATH ?? ''}` }
  return { folder, npmRunRelease: () => run('sh', ['-c', scripts.release], { cwd: folder, env }) }
}

describe('a release', dpkgNeeded, () => {
  before(
    async () => {
      ;({ release, commit } = await releaseOfRun())
    },
    { timeout: BUILD_MS },
  )

  it('has the same bytes if it is built again in another folder', {
    timeout: BUILD_MS,
  }, async (context) => {
    if (commit.isDirty) return context.skip('this one is not of a commit')
    const { folder, npmRunRelease } = await clone()
    const { stdout } = await npmRunRelease()
    const next = isInTheMaking ? /\bdo not tag it\b/ : new RegExp(`git tag v${version} ${commit.id.slice(0, 12)}\\b`)
    assert.match(stdout, next, 'it says what to do next')
    const sums = async (from: string) => (await readFile(`${from}/SHA256SUMS`, 'utf8')).trim().split('\n')
    const again = await sums(`${folder}/dist`)
    for (const line of await sums(release)) assert(again.includes(line), line)
    for (const [processor, kind] of [
      ['x64', 62],
      ['arm64', 183],
    ] as const) {
      const unpacked = temporaryFolder()
      await run('dpkg-deb', ['--extract', `${folder}/dist/${debianFor(processor)}`, unpacked])
      const node = await readFile(`${unpacked}/usr/lib/pet-adoption-service/node_modules/.bin/node`)
      assert.equal(node.readUInt16LE(18), kind, 'the machine in the header of its Node')
    }
  })

  it('is not made in a tree that differs from its commit', async () => {
    const { folder, npmRunRelease } = await clone()
    await writeFile(`${folder}/src/new.ts`, '')
    const stderr = /^A release is made from a commit, and the tree differs from it; [^\n]+\n$/
    await assert.rejects(npmRunRelease, { code: 1, stderr })
    assert(!(await readdir(folder)).includes('dist'))
  })

  it('names the packages in it, and what is new', async () => {
    const bill = JSON.parse(await readFile(`${release}/pets-${version}-sbom.cdx.json`, 'utf8'))
    assert.equal(bill.bomFormat, 'CycloneDX')
    const components = (bill.components as { name: string }[]).map(({ name }) => name)
    for (const name of ['fastify', 'pg', 'uqr']) assert(components.includes(name), name)
    assert(!components.includes('typescript'), 'packages for development are left out')
    assert.match(
      await readFile(`${release}/release-notes-${version}.md`, 'utf8'),
      isInTheMaking
        ? /^# Unreleased\n\n[\s\S]*\n- /
        : new RegExp(`^# ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)\n\n[^]*\n- `),
    )
  })

  it('has a client that adds and lists an animal from JavaScript, to the last digit, installed alone', async () => {
    const user = newUser([`${NODE}/bin`])
    await install(CLIENT, user)
    assert.deepEqual(await installedIn(`${user.folder}/node_modules`), ['pet-adoption-client'])
    await using service = await startService()
    const { key } = await service.issueKey('free')
    user.put(
      'program.js',
      `
      import { PetAdoption } from 'pet-adoption-client'
      const [, , baseUrl, apiKey] = process.argv
      const client = new PetAdoption({ baseUrl, apiKey })
      const made = await client.createPet({ name: 'Luna', categoryId: 9223372036854775807n, status: 'sold' })
      const [listed] = await client.listPets({ status: 'sold', limit: 1 })
      console.log(made.id, listed.id, listed.categoryId, client.rateLimit.remaining)
    `,
    )
    const { code, stdout, stderr } = await user.run(['node', 'program.js', service.baseUrl, key])
    assert.deepEqual([code, stdout], [0, '1n 1n 9223372036854775807n 58\n'], stderr)
  })

  it('has a conformance kit that checks a service, installed alone', async () => {
    const user = newUser([`${NODE}/bin`])
    const use = await install(KIT, user)
    assert.deepEqual(await installedIn(`${user.folder}/node_modules`), ['pet-adoption-conformance'])
    await using service = await startService()
    const { key } = await service.issueKey('enterprise', { perMinute: 100_000, perDay: 100_000 })
    const [check = ''] = use.split(' --limited-key')
    const line = check.replace('https://staging.pets.example/v1', service.baseUrl).replace('"$KEY"', key)
    const { code, stdout, stderr } = await user.run(['sh', '-c', `${line} --yes --only R5,R9,R13`])
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, new RegExp(`kit ${version.replaceAll('.', '\\.')}$`, 'm'))
    assert.match(stdout, /PASSED/)
  })
})
