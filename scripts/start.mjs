/**
 * What `npm start` runs once everything is installed: `pets serve` with defaults for trying it out. They are defaults and no
 * more: `--config`, a `PETS_…` variable or a flag changes each. The service runs in this very process, so a signal reaches it.
 */
import { keepCompiledCode } from '../src/cli/compile-cache.js'

keepCompiledCode()
const { serve } = await import('../src/cli/serve.ts')
for (const [name, value] of Object.entries({ firstKey: true, pages: true, operatorPort: 8081 })) {
  serve.setOptionValueWithSource(name, value, 'default')
}
process.argv.splice(2, Infinity, 'serve', ...argumentsAsTyped(serve, process.argv.slice(2)))
await import('../src/cli/pets.ts')

/**
 * Without `--` before them (`npm start --port 9000`), npm takes flags for settings of its own: it hands them down as
 * variables, and a value that followed as an argument. One of them is put together again; of several it cannot be known
 * which value is whose.
 *
 * @param {import('commander').Command} command
 * @param {string[]} args
 */
function argumentsAsTyped({ options }, args) {
  const taken = options
    .filter(({ negate }) => !negate)
    .map((option) => ({ option, value: process.env[`npm_config_${option.name().replaceAll('-', '_')}`] }))
    .filter(({ value }) => value !== undefined)
  const parted = taken.filter(({ option, value }) => !option.isBoolean() && value === 'true')
  if (parted.length > 1) {
    process.stderr.write(`npm keeps flags for itself unless -- comes before them: npm start -- --port 9000\n`)
    process.exit(2)
  }
  const whole = taken
    .filter((flag) => !parted.includes(flag))
    .map(({ option, value }) => {
      if (!option.isBoolean()) return `--${option.name()}=${value}`
      return value === 'true' ? `--${option.name()}` : `--no-${option.name()}`
    })
  return [...whole, ...parted.map(({ option }) => `--${option.name()}`), ...args]
}
