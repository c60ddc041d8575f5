/** The configuration of deploy/ha as the cluster of the tests uses it; this needs no programs. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { MACHINES, PORTS, Site } from './site.ts'

const HA = resolve(import.meta.dirname, '../../deploy/ha')
const FILES = readdirSync(HA).filter((file) => file !== 'README.md')

describe('the configuration of deploy/ha', () => {
  it('can be filled in for each machine, with its own addresses and ports and those of nobody else', async () => {
    const site = await Site.create('unused')
    for (const machine of MACHINES) {
      for (const file of FILES) {
        const text = site.render(file, machine)
        for (const port of Object.values(PORTS)) assert.doesNotMatch(text, new RegExp(`[:= ]${port}\\b`), file)
        for (const other of MACHINES.filter((other) => other !== machine)) {
          assert.ok(!text.includes(site.inside(other)), `${file} of ${machine} listens where ${other} does`)
        }
      }
    }
    assert.match(site.render('redis.conf', 1), new RegExp(`^bind ${site.inside(1)}$`, 'm'))
    assert.match(site.render('redis.conf', 1), new RegExp(`^cluster-announce-ip ${site.outside(1)}$`, 'm'))
  })

  it('has each of its files in the table of its guide', () => {
    const guide = readFileSync(resolve(HA, 'README.md'), 'utf8')
    for (const file of FILES) assert.ok(guide.includes(`| \`${file}\` |`), file)
  })
})
