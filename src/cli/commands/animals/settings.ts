/** `pets settings`: what the office has under Settings, for where there is no office. */
import { printable, printableJson } from '../../../common/printable.ts'
import { isSetting, SETTING_NAMES, SETTINGS, settingProblem } from '../../../domain/settings.ts'
import { command, group, rowsOf } from '../../command.ts'
import { UsageError } from '../../options.ts'

export const settings = group("Show or set the shelter's settings.", {
  list: command({
    about: "Show the shelter's settings.",
    examples: ['pets settings'],
    json: 'output as JSON, one object a line',
    async action({ open, show }) {
      const shelter = await (await open()).words.shelter()
      // The words of other languages only where they are set.
      const names = SETTING_NAMES.filter((name) => name in shelter || !/-[a-z]{2}$/.test(name))
      const rows = rowsOf({
        rows: names.map((name) => ({ name, value: shelter[name], about: SETTINGS[name].about })),
        toJson: ({ name, value }) => `{"setting":"${name}","value":${printableJson(value ?? null)}}`,
        columns: {
          SETTING: ({ name }) => name,
          VALUE: ({ value }) => (value === undefined ? '-' : printable(value)),
          MEANING: ({ about }) => about,
        },
        none: '',
      })
      await show(rows)
    },
  }),

  set: command({
    about: 'Change a setting.',
    examples: ['pets settings set language de', 'pets settings set email help@shelter.example'],
    takes: (command) =>
      command
        .argument('<setting>', 'its name; `pets settings` lists them')
        .argument('<value>', 'its value; an empty one removes it'),
    async action({ cli, open }, name, text) {
      if (!isSetting(name)) throw new UsageError(`${printable(name)} is not a setting. \`pets settings\` lists them.`)
      const value = text.trim()
      const problem = settingProblem(name, value)
      if (problem !== undefined) throw new UsageError(`The setting ${name} ${problem}.`)
      await (await open()).words.setShelter({ [name]: value }, cli.author())
      return `The setting ${name} is ${value === '' ? 'removed' : printable(value)}.\n`
    },
  }),
})
