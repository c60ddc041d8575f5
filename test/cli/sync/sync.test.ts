/** `pets sync` as a command: what it asks for before it changes anything, and what it says. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pets } from '../../support/commands/commands.ts'
import { newDatabase } from '../../support/folder.ts'

const HEADER = 'ref,name,categoryId,status\n'

describe('pets sync', { concurrency: 2 }, () => {
  const sync = (database: string, list: string, ...more: string[]) =>
    pets(['--quiet', 'sync', '--create', '-', '--ref', 'ref', '--database', database, ...more], { input: list })
  const animals = async (database: string) => (await pets(['export', '--format', 'csv', '--database', database])).stdout
  const refused = { code: 1, stdout: '' }

  it('doubles no list that is there already: it asks what is meant, and does that', async () => {
    const database = newDatabase()
    const list = `${HEADER}a,Rex,1,sold\nb,Luna,2,\nc,Luna,2,\n`
    await pets(['import', '--create', '-', '--database', database], {
      input: 'name,categoryId\nRex,1\nLuna,2\nMia,2\n',
    })
    const before = await animals(database)
    assert.deepEqual(await sync(database, list), {
      ...refused,
      stderr:
        '3 new rows look like animals that are here already; nothing was changed. --adopt lets 1 of them be these animals, --no-adopt adds them all.\n',
    })
    assert.equal(await animals(database), before)
    const { stdout } = await sync(database, list, '--adopt', '--dry-run')
    assert.equal(
      stdout,
      'adopt  1  a  Rex  1  - -> sold\nadd  -  b  Luna  2  -\nadd  -  c  Luna  2  -\n3 rows: 2 added, 1 recognised by name. Nothing was changed.\n',
    )
    assert.equal((await sync(database, list, '--adopt')).stdout, '3 rows: 2 added, 1 recognised by name.\n')
    assert.match((await sync(newDatabase(), list, '--no-adopt')).stdout, /3 added/)
    assert.equal((await animals(database)).split('\n').length, 7)
  })

  it('names new categories where that is asked for or nothing is there yet, with the animals or not at all', async () => {
    const database = newDatabase()
    const list = `ref,name,species,status\nc,Tom,2,\na,Rex,Dog,sold\n`
    const named = async () => (await pets(['categories', '--json', '--database', database])).stdout
    const dry = await sync(database, list, '--dry-run')
    assert.match(dry.stdout, /2 rows: 2 added\. Categories that would be named: 1 Dog\. Nothing was changed\.\n$/)
    assert.equal(await named(), '')
    const { stdout } = await sync(database, list)
    assert.equal(stdout, '2 rows: 2 added. Categories named: 1 Dog.\n')
    const more = `${list}b,Luna,Cat,\n`
    const asked = await sync(database, more)
    assert.equal(asked.code, 1)
    assert.match(asked.stderr, /^Line 4: category: "Cat" is neither a whole number nor the name of a category: Dog\.$/m)
    assert.match(asked.stderr, /^ {4}category: Cat = \?$/m)
    assert.match((await sync(database, more, '--new-categories')).stdout, /1 added\. Categories named: 3 Cat\.$/m)
    assert.match(await named(), /"Dog"[\s\S]+"Cat"/)
    assert.match(await animals(database), /Luna,3,/)
  })

  it('does nothing with rows that have no reference, or of a column that is not there, and says so', async () => {
    const database = newDatabase()
    assert.deepEqual(await sync(database, `${HEADER}a,Rex,1,\n ,Luna,2,\n${'x'.repeat(201)},Mia,2,\n`), {
      ...refused,
      stderr:
        'Line 3: the reference must be text of 1 to 200 characters.\nLine 4: the reference must be text of 1 to 200 characters.\n' +
        'Nothing was changed: 2 bad rows. Correct them and try again.\n',
    })
    assert.deepEqual(await sync(database, 'name,categoryId\nRex,1\n'), {
      ...refused,
      stderr:
        'Line 1: the header has no column ref; it is: name, categoryId. Name the column of the references with --ref.\nNothing was changed.\n',
    })
    assert.equal(await animals(database), 'id,name,categoryId,status\n')
  })

  it('takes who is gone for no longer listed, and finds the reference by itself', async () => {
    const database = newDatabase()
    const list = (status: string) =>
      `Animal ID,Name,Species,Status\n1,Rex,Dog,Available\n2,Mia,Cat,${status}\n3,Tom,Dog,Deceased\n`
    const first = await pets(['sync', '--create', '-', '--database', database], { input: list('Hold') })
    assert.equal(first.stdout, '2 rows: 2 added. Categories named: 1 Dog, 2 Cat.\n', first.stderr)
    const args = ['sync', '--create', '-', '--database', database, '--missing', 'remove', '--yes']
    const dry = await pets([...args, '--dry-run'], { input: list('RTO') })
    assert.match(dry.stderr, /^Not there any more, and left out: "RTO" on line 3; "Deceased" on line 4\.$/m)
    assert.match(dry.stdout, /^1 row: 1 removed\. Nothing was changed\.$/m)
  })

  it('refuses a list whose references have lost their zeros, and says what it looks like', async () => {
    const database = newDatabase()
    const list = (zeros: string, end = '') =>
      `${HEADER}${[1, 2, 3, 4].map((n) => `${zeros}${n}${end},Rex${n},1,\n`).join('')}`
    await sync(database, list('00'))
    const lost = await sync(database, list(''))
    assert.equal(lost.code, 1)
    assert.match(
      lost.stderr,
      /\(001 is now 1; .*\): the leading zeros are gone; nothing was changed\. If .* --yes goes on\.$/m,
    )
    assert.match((await sync(database, list('', '.0'))).stderr, /a spreadsheet has made numbers of them/)
    assert.equal((await animals(database)).split('\n').length, 6)
    assert.match((await sync(database, list(''), '--yes')).stdout, /4 added/)
  })

  it('exits in a dry run as it would without', async () => {
    const database = newDatabase()
    await sync(database, `${HEADER}a,Rex,1,\n`)
    for (const more of [[], ['--dry-run']]) {
      const { code, stderr } = await sync(database, `${HEADER}a,Max,1,\n`, ...more)
      assert.deepEqual([code, /1 of 1 animal would change/.test(stderr)], [1, true], more.join())
    }
  })

  it('reads NDJSON, with numbers as references too, to the last digit', async () => {
    const database = newDatabase()
    const line = (name: string) => `{"ref":9007199254740993,"name":"${name}","categoryId":9223372036854775807}\n`
    assert.equal((await sync(database, line('Rex'))).stdout, '1 row: 1 added.\n')
    const near = line('Luna').replace('993', '992')
    assert.equal((await sync(database, line('Hasso') + near, '--yes')).stdout, '2 rows: 1 added, 1 changed.\n')
    assert.match(await animals(database), /^1,Hasso,9223372036854775807,$/m)
  })

  it('counts the share of animals that a list may change, marks what is missing, and knows a share when it sees one', async () => {
    const database = newDatabase()
    await sync(database, `${HEADER}${[...'abcdefghij'].map((ref) => `${ref},Rex,1,\n`).join('')}`)
    const shorter = `${HEADER}${[...'abcdefgh'].map((ref) => `${ref},Rex,1,\n`).join('')}`
    assert.match((await sync(database, shorter, '--missing', 'sold')).stderr, /^2 of 10 animals would .+ 10%; nothing/)
    assert.equal((await sync(database, shorter, '--most', '1%')).stdout, '8 rows, and the animals agree with them.\n')
    const marked = await sync(database, shorter, '--missing', 'sold', '--most', '20%')
    assert.equal(marked.stdout, '8 rows: 2 set to sold.\n')
    assert.equal((await animals(database)).match(/sold/g)?.length, 2)
    for (const most of ['20', '101%', '-1%']) {
      const { code, stderr } = await sync(database, shorter, '--most', most)
      assert.deepEqual([code, /a share from 0% to 100%/.test(stderr)], [2, true], most)
    }
  })

  it('wants a column of the references that it can find, and says so', async () => {
    const { code, stderr } = await pets(['sync', '--create', '-', '--database', newDatabase()], {
      input: 'name,species\nRex,1\n',
    })
    assert.equal(code, 1)
    assert.match(stderr, /the header has no column of references; .* Name the column of the references with --ref\./)
  })
})
