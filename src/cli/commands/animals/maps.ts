/** `pets maps`: mappings that are kept by a name, and what `--map @NAME` and `--save-map NAME` mean to commands. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Mapping, readRules, rulesOf } from '../../../animals-file/mapping.ts'
import { READY_MAPS } from '../../../animals-file/ready-maps.ts'
import { printable, printableJson } from '../../../common/printable.ts'
import type { KeptMaps } from '../../../store/maps.ts'
import { examples } from '../../examples.ts'
import { CommandFailed, databaseOption } from '../../options.ts'
import { hint, print } from '../../output.ts'
import { withStore } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { checkRules } from './file.ts'

export function mapOption(): Option {
  return new Option(
    '--map <rules>',
    'columns and values of other systems: name=Animal Name,status:adopted=sold, or @NAME',
  )
    .argParser((text: string, before: readonly string[] = []) => {
      if (!text.startsWith('@')) checkRules(text)
      return [...before, text]
    })
    .default([], 'none')
}

export function saveMapOption(): Option {
  return new Option(
    '--save-map <name>',
    'keep what the file was read with, --map and guesses, for --map @NAME',
  ).argParser(mapName)
}

/** Keeps a mapping, and what was guessed beside it. */
export async function keepMap(
  name: string,
  { mapping, guess }: { readonly mapping: Mapping; readonly guess: readonly string[] },
  maps: KeptMaps,
): Promise<void> {
  await maps.keep(name, rulesOf(readRules(guess, mapping)))
  hint(`Kept for --map @${name}.\n`)
}

/** A name that can be typed without quotes. */
function mapName(text: string): string {
  if (!/^[a-z0-9]{1,40}$/.test(text)) throw new InvalidArgumentError('It must be 1 to 40 small letters and digits.')
  return text
}

const list = new Command('list')
  .description('Show the mappings that are kept, and the ready ones.')
  .addHelpText('after', examples('pets maps'))
  .addOption(databaseOption())
  .option('--json', 'one JSON object a line')
  .action((options: { readonly database: string; readonly json?: true }) =>
    withStore(options, async ({ maps }) => {
      const kept = await maps.all()
      const ready = [...READY_MAPS].flatMap(([name, { rules, reference }]) =>
        kept.has(name) ? [] : [{ name, rules, reference }],
      )
      const all = [...ready, ...[...kept].map(([name, rules]) => ({ name, rules, reference: undefined }))]
      if (options.json) await print(all.map((one) => `${printableJson(one)}\n`).join(''))
      else {
        const cells = all.map(({ name, rules, reference }) => [
          `@${name}`,
          reference ?? '-',
          printable(rules.join(',')),
        ])
        await print(tableOf(['NAME', 'REFERENCE', 'RULES'])(cells))
      }
    }),
  )

const remove = new Command('remove')
  .description('Forget a mapping that is kept.')
  .addHelpText('after', examples('pets maps remove shelterluv'))
  .argument('<name>', 'its name', mapName)
  .addOption(databaseOption())
  .action(async (name: string, options: { readonly database: string }) => {
    await withStore(options, async ({ maps }) => {
      if (!(await maps.remove(name)))
        throw new CommandFailed(`No mapping is kept as @${name}; \`pets maps\` shows them.`)
    })
    await print(`The mapping @${name} is removed.\n`)
  })

export const maps = new Command('maps')
  .description('Show or remove the mappings for other lists that are kept by name.')
  .addCommand(list, { isDefault: true })
  .addCommand(remove)
