/** What docs/public-page.md shows is what happens: its commands run in order, and its nginx sends the files. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, describe, it } from 'node:test'
import { NAMES } from '../../src/public-page/folder.ts'
import { nginxNeeded } from '../deploy/nginx.ts'
import { playConsole } from '../support/console.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, shellNeeded, skipUnless } from '../support/programs.ts'
import { freePort, runServer } from '../support/servers/servers.ts'
import { startService } from '../support/service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PAGE = readFileSync(`${ROOT}/docs/public-page.md`, 'utf8')
const FOLDER = '/var/www/animals'

/** The indented line with this beginning. */
function lineOf(beginning: string): string {
  const line = new RegExp(`^ {4}(${beginning}.*)$`, 'm').exec(PAGE)?.[1]
  assert(line !== undefined, beginning)
  return line
}

const block = (language: string) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(PAGE)?.[1] ?? ''

describe('the page about the public page', shellNeeded, () => {
  const folder = temporaryFolder()
  const site = join(folder, 'site')

  before(() => {
    writeFileSync(join(folder, 'animals.csv'), PAGE.match(/(?:^ {4}.*\n)+/m)?.[0].replace(/^ {4}/gm, '') ?? '')
  })

  it('shows what its commands print', async () => {
    const steps = await playConsole(PAGE, { cwd: folder })
    for (const { command, shown, printed } of steps) assert.equal(printed, shown, command)
    assert.equal(steps.length, 6)
    const lists = ['category-1.html', 'category-2.html']
    const others = ['animal', 'embed.js', 'favicon.svg', 'page.js', 'style.css']
    assert.deepEqual(readdirSync(site).sort(), [...NAMES, ...lists, ...others].sort())
  })

  it('names options of the service that keep the page, which says so in its metrics', async () => {
    const [, ...args] = lineOf('pets serve')
      .replaceAll(FOLDER, join(folder, 'served'))
      .replaceAll(/'(.*?)'/g, (_, quoted: string) => quoted.replaceAll(' ', '_'))
      .split(' ')
    mkdirSync(join(folder, 'served'))
    await using service = await startService({ database: `sqlite:${join(folder, 'pets.db')}`, args: args.slice(1) })
    await service.says(/the public page is up to date/)
    assert.match(readFileSync(join(folder, 'served', 'index.html'), 'utf8'), /3 Tiere/)
    const metrics = await (await fetch(`${service.operatorUrl}/metrics`)).text()
    assert.match(metrics, /^pets_publish_last_success_timestamp_seconds [1-9]/m)
  })

  it('has nginx send the files by their types, to be asked for again at each visit', nginxNeeded, async () => {
    const port = await freePort()
    const home = temporaryFolder()
    const config = `daemon off; pid ${home}/nginx.pid; user root; events {} http { access_log off;
      server { listen 127.0.0.1:${port}; root ${home}; ${block('nginx').replace(FOLDER, site)} } }`
    writeFileSync(join(home, 'nginx.conf'), process.getuid?.() === 0 ? config : config.replace('user root;', ''))
    const line = [findProgram('nginx') ?? '', '-p', home, '-c', join(home, 'nginx.conf'), '-e', 'stderr']
    await using _nginx = await runServer(port, line)
    const types = {
      '': 'text/html; charset=utf-8',
      'feed.atom': 'application/atom+xml; charset=utf-8',
      'animals.json': 'application/json',
      'style.css': 'text/css',
      'page.js': 'text/javascript',
      'animal/0/1.html': 'text/html; charset=utf-8',
    }
    for (const [name, type] of Object.entries(types)) {
      const response = await fetch(`http://127.0.0.1:${port}/animals/${name}`)
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, type], name)
      assert.equal(response.headers.get('cache-control'), 'no-cache', 'no browser shows an animal that left')
      if (/^$|^a|^f/.test(name)) assert.match(await response.text(), /Rex/)
    }
  })

  it('has rsync bring the files, and no hidden one, to another place', {
    ...skipUnless(findProgram('rsync') !== undefined, 'there is no rsync on the path; install it'),
  }, () => {
    writeFileSync(join(site, '.index.html.0123456789abcdef.partial'), 'half')
    const there = `${temporaryFolder()}/`
    const command = lineOf('rsync').replace(`www.example.org:${FOLDER}/`, there).replace(FOLDER, site)
    assert.equal(spawnSync('bash', ['-c', command]).status, 0)
    const shown = readdirSync(site).filter((name) => !name.startsWith('.'))
    assert.deepEqual(readdirSync(there).sort(), shown.sort())
  })
})
