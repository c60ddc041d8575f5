/**
 * An operator's first week, on the real commands and processes, on a file and on PostgreSQL: exact state after every
 * step.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, it } from 'node:test'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { onEachEngine } from '../support/on-each-engine.ts'
import { createdId, startService } from '../support/service.ts'

/** As the old system wrote it: Windows-1252, semicolons, its own words, a row of nothing, one mistake. */
const MESSY = Buffer.from(
  'Animal Name;Type;State\r\nLuna;1; Available \r\nS\xf8ren;2;adopted\r\n;;\r\nBruno;2;pendng\r\nMimi;1;\r\n',
  'latin1',
)

onEachEngine(
  (name) => `the first week on ${name}`,
  (engine) => {
    let database: string
    const folder = temporaryFolder()
    const run = (...args: string[]) => pets([...args, '--database', database])
    const done = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(...args)
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
      return stdout
    }
    const animals = () => done('export', '--format', 'csv')
    const HEADER = 'id,name,categoryId,status\n'

    before(async () => {
      database = await engine.createDatabase()
    })

    it('goes as the messages say, and leaves exactly what was meant', async () => {
      // Monday: the old system's file, by what the messages say.
      const file = join(folder, 'old.csv')
      writeFileSync(file, MESSY)
      const map = ['--map', 'name=Animal Name,categoryId=Type,status=State']
      const first = await run('import', '--create', file, ...map)
      assert.equal(first.code, 1)
      assert.match(first.stderr, /Line 5: .*"pendng" is not understood/)
      const [, advice = ''] = /^ {4}(status: pendng) = \?$/m.exec(first.stderr) ?? []
      const second = await run('import', file, ...map, '--map', `status:adopted=sold,${advice}=pending`)
      assert.deepEqual([second.code, second.stdout], [0, '4 animals imported.\n'], second.stderr)
      const monday = 'Luna,1,available\n2,Søren,2,sold\n3,Bruno,2,pending\n4,Mimi,1,\n'
      assert.equal(await animals(), `${HEADER}1,${monday}`)

      // Tuesday: the same file again by mistake; then meant, and taken back.
      const again = ['import', '--create', file, ...map, '--map', 'status:adopted=sold,status:pendng=pending']
      assert.match(
        (await run(...again)).stderr,
        /^4 of 4 look like animals that are already here; nothing was imported/m,
      )
      await done(...again, '--allow-duplicates')
      await done('edit', '6', '--name', 'Kept')
      assert.match(await done('imports', 'undo', '2'), /3 animals removed; 1 animal changed/)
      assert.equal(await animals(), `${HEADER}1,${monday}6,Kept,2,sold\n`)

      // Wednesday: sold by the list, corrected, removed, brought back.
      const sold = await pets(['set-status', 'sold', '-', '--database', database], { input: '1\n3\n4\n' })
      assert.equal(sold.stdout, '3 animals are sold; 3 of them changed.\n')
      await done('set-status', 'none', '4')
      await done('edit', '1', '--name', 'Luna II', '--category', '7')
      await done('remove', '3', '6')
      await done('restore-animal', '3')
      const wednesday = `${HEADER}1,Luna II,7,sold\n2,Søren,2,sold\n3,Bruno,2,sold\n4,Mimi,1,\n`
      assert.equal(await animals(), wednesday)
      assert.match(await done('find', 'soren'), /Søren/)

      // Thursday: the service runs; what it acknowledged survives a crash.
      const service = await startService({ database })
      const { key, id } = await service.issueKey()
      const created = [await createdId(service, key, 'Thursday 1'), await createdId(service, key, 'Thursday 2')]
      service.process.kill('SIGKILL')
      await service.stop()
      const thursday = wednesday + created.map((id, n) => `${id},Thursday ${n + 1},1,\n`).join('')
      assert.equal(await animals(), thursday)
      assert(
        created.every((id) => id > 8),
        'no id of a removed animal is given again',
      )

      // The journal knows all of it, newest first.
      const acts = (await done('journal', '--json'))
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { act: string }).act)
        .filter((act) => act !== 'export') // this test has exported after each day
      assert.deepEqual(acts, [
        'issue key',
        'restore',
        ...['remove', 'remove'],
        ...['edit', 'edit', 'edit', 'edit', 'edit'],
        'undo import',
        ...['edit', 'import', 'import'],
      ])
      assert.match(await done('journal', '--key', id), /issue key/)
      if (!database.startsWith('sqlite:')) return

      // Friday: a backup under load, a crash, and back to the backup.
      const friday = await startService({ database })
      let writing = true
      let made = 0
      const load = (async () => {
        for (; writing; made += 1) await createdId(friday, key, 'Load').catch(() => {})
      })()
      const backup = join(folder, 'friday.db')
      await done('backup', backup)
      friday.process.kill('SIGKILL')
      writing = false
      await Promise.all([load, friday.stop()])
      assert(made > 0)
      const backedUp = await pets(['export', '--format', 'csv', '--database', `sqlite:${backup}`])
      assert(backedUp.stdout.startsWith(thursday))
      await done('set-status', 'available', '2')
      await done('restore', backup)
      assert.equal(await animals(), backedUp.stdout)
      assert.match(await done('verify'), /^The database is sound/)
      await using saturday = await startService({ database })
      const next = await createdId(saturday, key, 'Saturday')
      assert.equal(await animals(), `${backedUp.stdout}${next},Saturday,1,\n`)
    })
  },
)
