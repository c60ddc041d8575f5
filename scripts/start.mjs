/**
 * The second step of `npm start`, after the installation: `pets serve` with defaults for a trial. `--config`, a
 * `PETS_…` variable or a flag overrides each of them. The service runs in this process, so signals reach it.
 */
import { keepCompiledCode } from '../src/cli/compile-cache.js'

keepCompiledCode()
process.env.PETS_STARTED_AS = process.platform === 'win32' ? 'pets' : './pets'
const { Command } = await import('commander')
const { addServeOptions } = await import('../src/cli/serve/options.ts')
const { runProcess } = await import('../src/cli/process.ts')
const typed = argumentsAsTyped(addServeOptions(new Command('serve')), process.argv.slice(2))
await runProcess(['serve', ...typed], {
  firstKey: true,
  pages: true,
  operatorPort: { port: 8081 },
  office: true,
  // Next to the database file.
  backupDir: 'backups',
  publish: 'site',
})

/**
 * Restores the flags of `npm start --port 9000`, without `--` before them. npm passes such a flag on as a variable, and
 * its value as an argument. With several flags it is unknown which value belongs to which.
 *
 * @param {import('commander').Command} command
 * @param {string[]} args
 */
function argumentsAsTyped({ options }, args) {
  const flags = options
    .filter(({ negate }) => !negate)
    .map((option) => ({ option, value: process.env[`npm_config_${option.name().replaceAll('-', '_')}`] }))
    .filter(({ value }) => value !== undefined)
  const parted = flags.filter(({ option, value }) => !option.isBoolean() && value === 'true')
  if (parted.length > 1) {
    process.stderr.write(`npm keeps flags for itself unless -- comes before them: npm start -- --port 9000\n`)
    process.exit(2)
  }
  const whole = flags
    .filter((flag) => !parted.includes(flag))
    .map(({ option, value }) => {
      if (!option.isBoolean()) return `--${option.name()}=${value}`
      return value === 'true' ? `--${option.name()}` : `--no-${option.name()}`
    })
  return [...whole, ...parted.map(({ option }) => `--${option.name()}`), ...args]
}
