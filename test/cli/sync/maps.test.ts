/** Mappings by name, on every engine: those that are kept, and the ready ones, held to lists as they are written. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pets } from '../../support/commands/commands.ts'
import { onEachEngine } from '../../support/on-each-engine.ts'

onEachEngine(
  (name) => `mappings by name, on ${name}`,
  (engine) => {
    const run = (database: string, args: readonly string[], input = '') =>
      pets([...args, '--database', database], { input })
    const exported = async (database: string) =>
      (await run(database, ['export', '--format', 'csv'])).stdout.replace('id,name,categoryId,status\n', '')

    it('what a list was read with is kept, guesses too, and used, copied and removed by its name', async () => {
      const [database, other] = [await engine.createDatabase(), await engine.createDatabase()]
      const sync = (list: string, ...more: string[]) =>
        run(database, ['sync', '-', '--ref', 'ref', '--yes', ...more], `ref,Pet Name,Kind,Outcome\n${list}`)
      const map = ['--map', 'categoryId=Kind,categoryId:Hund=7,status:lost=']
      const refused = await sync('a,Rex,Hund,Adopted\n', ...map, '--map', '@weekly')
      assert.equal(refused.code, 1)
      assert.match(
        refused.stderr,
        /^There is no mapping @weekly; there are @asm3, @shelterluv, @rescuegroups, @longbeach\.$/m,
      )
      const looked = await sync('a,Rex,Hund,Adopted\n', ...map, '--save-map', 'weekly', '--dry-run')
      assert.equal(looked.code, 0, looked.stderr)
      assert.doesNotMatch((await run(database, ['maps'])).stdout, /weekly/)
      const done = await sync('a,Rex,Hund,Adopted\n', ...map, '--save-map', 'weekly')
      assert.match(done.stderr, /^Kept for --map @weekly\.$/m)
      const rules = 'categoryId=Kind,name=Pet Name,status=Outcome,categoryId:hund=7,status:lost=,status:adopted=sold'
      assert.match((await run(database, ['maps'])).stdout, new RegExp(`^@weekly +- +${rules}$`, 'm'))
      const again = await sync('a,Rex,Hund,lost\n', '--map', '@weekly')
      assert.equal(again.stdout, '1 row: 1 changed.\n', again.stderr)
      assert.doesNotMatch(again.stderr, /Guessed/)
      const more = await sync('a,Rex,Katze,lost\n', '--map', '@weekly', '--map', 'categoryId:Katze=8,status:lost=sold')
      assert.equal(more.stdout, '1 row: 1 changed.\n', more.stderr)
      assert.equal(await exported(database), '1,Rex,8,sold\n')

      const copied = await pets(['copy', '--from', database, '--to', other])
      assert.equal(copied.code, 0, copied.stderr)
      assert.equal((await run(other, ['maps', '--json'])).stdout, (await run(database, ['maps', '--json'])).stdout)
      assert.equal((await run(database, ['maps', 'remove', 'weekly'])).stdout, 'The mapping @weekly is removed.\n')
      assert.equal((await run(database, ['maps', 'remove', 'weekly'])).code, 1)
      for (const name of ['Weekly', '@weekly', '']) {
        assert.equal((await sync('a,Rex,Hund,lost\n', '--save-map', name)).code, 2, name)
      }
    })

    it('a kept one counts before a ready one of the same name, which is there again when it is removed', async () => {
      const database = await engine.createDatabase()
      const list = 'Animal ID,Name,Species,Adoptable,Current Status\nS1,Rex,1,No,Healthy In Home\n'
      const sync = (...more: string[]) =>
        run(database, ['sync', '-', '--ref', 'Animal ID', '--yes', '--map', '@shelterluv', ...more], list)
      const own = ['--map', 'status=Current Status,status:healthy in home=sold', '--save-map', 'shelterluv']
      assert.equal((await sync(...own)).code, 0)
      assert.equal((await run(database, ['maps'])).stdout.match(/^@shelterluv .*Current Status/gm)?.length, 1)
      assert.equal((await run(database, ['maps'])).stdout.match(/@shelterluv/g)?.length, 1)
      assert.match((await sync()).stdout, /agree/)
      assert.equal(await exported(database), '1,Rex,1,sold\n')
      assert.equal((await run(database, ['maps', 'remove', 'shelterluv'])).code, 0)
      assert.equal((await run(database, ['maps', 'remove', 'shelterluv'])).code, 1)
      assert.equal((await sync()).stdout, '1 row: 1 changed.\n')
      assert.equal(await exported(database), '1,Rex,1,\n')
    })

    // Invented animals, in the columns and words that the systems document.
    const lists = [
      {
        name: 'asm3',
        reference: 'ANIMALCODE',
        list: 'ANIMALID,ANIMALCODE,ANIMALNAME,ANIMALTYPE,ANIMALSPECIES,ANIMALNOTFORADOPTION\n1,"S1","Rex","D (Dog)","Dog","0"\n2,"S2","Mia","S (Stray)","Cat","1"\n',
        animals: '1,Rex,1,available\n2,Mia,2,\n',
      },
      {
        name: 'shelterluv',
        reference: 'Animal ID',
        list: 'Animal ID,Name,Species,Sex,Current Status,Adoptable\nS-A-1,Rex,Dog,Male,Available,Yes\nS-A-2,Mia,Cat,Female,Foster - Medical Hold,No\nAnimal ID,Name,Species,Sex,Current Status,Adoptable\nS-A-1,Rex,Dog,Male,Available,Yes\n',
        animals: '1,Rex,1,available\n2,Mia,2,\n',
      },
      {
        name: 'rescuegroups',
        reference: 'externalID',
        list: '"externalID","status","name","type"\n"A1","Available","Rex","Dog"\n"A2","Adopted","Mia","Cat"\n"A3","Hold","Tom","Cat"\n"A4","Pending","Bo","Dog"\n',
        animals: '1,Rex,1,available\n2,Mia,2,sold\n3,Tom,2,pending\n4,Bo,1,pending\n',
      },
      {
        name: 'longbeach',
        reference: 'Animal ID',
        list: 'Animal ID,Animal Name,Animal Type,Intake Type,Outcome Type\nA1,*REX,DOG,STRAY,ADOPTION\nA2,MIA,CAT,STRAY,\nA3,,CAT,STRAY,"SHELTER, NEUTER, RETURN"\nA4,BO,DOG,STRAY,FOSTER TO ADOPT\n',
        animals: '1,*REX,1,sold\n2,MIA,2,available\n3,,2,\n4,BO,1,pending\n',
      },
    ]
    it('the ready ones read the lists of their systems, and another kept from one of them reads the same', async () => {
      for (const { name, reference, list, animals } of lists) {
        const database = await engine.createDatabase()
        const named = await run(database, ['import', '-', '--new-categories'], 'name,categoryId\nx,Dog\nx,Cat\n')
        assert.equal(named.code, 0, named.stderr)
        await run(database, ['imports', 'undo', '1'])
        const ways = ['sync', '-', '--ref', reference, '--map', `@${name}`]
        const done = await run(database, [...ways, '--save-map', 'mine'], list)
        assert.equal(done.code, 0, done.stderr)
        assert.doesNotMatch(done.stderr, /Guessed/)
        const after = animals.replace(/^\d+/gm, (id) => String(Number(id) + 2))
        assert.equal(await exported(database), after)
        const again = await run(database, ['sync', '-', '--ref', reference, '--map', '@mine'], list)
        assert.match(again.stdout, /rows, and the animals agree with them\.$/m)
      }
    })
  },
)
