// The command line: the commands that run or try the service, and those of operators. A command reads the
// environment, calls one thing, and says in plain words what went wrong.
import { Command } from 'commander'
import { boundsInWords, numberWithin } from '../acts/cli-values.js'
import { addOperatorCommands } from '../acts/commands.js'
import { CommandFailed } from '../acts/operator-client.js'
import { migrate } from '../database/migrate.js'
import { createLog } from '../runtime/log.js'
import { VERSION } from '../runtime/package.js'
import { addInitCommand } from '../setup/init-command.js'
import { CAPABILITIES } from './capabilities.js'
import { commandHost } from './command-host.js'
import { misspelt, readConfig } from './config.js'
import { examine, explainFailure, resultLine } from './doctor.js'
import { loadDemo, SANDBOX_TOKEN_DAYS, signToken, TOKEN_DAYS } from './sandbox.js'
import { openConfigured, serve, stopOnSignals } from './serve.js'
import { welcome } from './welcome.js'

const TOKEN_BOUNDS = { minimum: 1, maximum: 36_500 }

interface TokenOptions extends Readonly<Record<'email' | 'name' | 'locale', string>> {
  readonly user: string
  readonly days?: number
}

const program = new Command('ishtirak')
  .description('Billing of a hosting platform: prepaid time, never lost')
  .version(VERSION)
  .commandsGroup('Run:')

program
  .command('serve', { isDefault: true })
  .description('Start the service; without CHARGILY_SECRET_KEY the sandbox, with an emulator of the provider')
  .allowExcessArguments()
  .action(async (_options: unknown, { args: [unknown] }: Command) => {
    // The default command gets every word that no other command has as its name.
    if (unknown) return program.error(`error: no command is called '${unknown}'; ishtirak --help lists them`)
    const config = readConfig(process.env)
    const log = createLog({ level: config.logLevel })
    for (const { name, nearest } of misspelt(process.env)) {
      log.warn({ variable: name, perhaps: nearest }, 'nothing reads this environment variable')
    }
    const service = await serve(config, log)
    stopOnSignals(service, log, config.drainSeconds * 1_000)
    const text = await welcome(config, service)
    if (text !== null) process.stdout.write(text)
  })

program
  .command('migrate')
  .description('Bring the database to the schema of this version')
  .action(async () => {
    const config = readConfig(process.env)
    const database = await openConfigured(config)
    const { applied, version } = await migrate(database)
    say(`${applied.length === 0 ? 'nothing to do' : applied.join('\n')}\nschema version ${version}`)
    await database.close()
  })

program
  .command('doctor')
  .description('Examine everything the service needs, each line with its remedy')
  .action(async () => {
    for await (const result of examine(process.env)) {
      say(resultLine(result))
      if (result.verdict === 'fail') process.exitCode = 1
    }
  })

addInitCommand(program, say)

program.commandsGroup('Try:')

passOn(
  'emulate',
  'Run an emulator of Chargily Pay V2 on real HTTP, for any client; --help lists its options',
  async (options) => (await import('chargily-emulator/command')).emulate(options),
)

program
  .command('token')
  .description('Print a bearer token for a user, signed with AUTH_JWT_SECRET or the key of the sandbox')
  .requiredOption('--user <id>', 'the user’s id')
  .option('--email <address>')
  .option('--name <name>')
  .option('--locale <locale>', 'ar, fr or en')
  .option(
    '--days <number>',
    `how long it is valid (default: ${TOKEN_DAYS}, in the sandbox ${SANDBOX_TOKEN_DAYS}; ` +
      `${boundsInWords(TOKEN_BOUNDS)})`,
    numberWithin(TOKEN_BOUNDS),
  )
  .action(async ({ user, days, ...claims }: TokenOptions) => {
    say(await signToken(readConfig(process.env), user, claims, days))
  })

passOn(
  'demo',
  'Fill the running sandbox with a pretend shop: users, and a year of their payments; once',
  async (options) => {
    const demo = await loadDemo()
    if (!demo)
      throw new CommandFailed(
        'the demo is only in a clone of https://github.com/ishtirak/ishtirak: run it there after npm ci',
      )
    await demo.demoCommand(options)
  },
)

addOperatorCommands(program, CAPABILITIES, commandHost)

/** A command of another package, which reads its options itself. */
function passOn(name: string, description: string, run: (options: string[]) => Promise<void>): void {
  program
    .command(name)
    .description(description)
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]')
    .action(run)
}

/** The texts of `--help`, by the words of the command. The build stores them for cli.ts. */
export function helpTexts(command = program, words = ''): Record<string, string> {
  const inner = command.commands.map((one) => helpTexts(one, `${words} ${one.name()}`.trim()))
  const { long: hasHelp } = command.createHelp().visibleOptions(command).at(-1) ?? {}
  return Object.assign(hasHelp === '--help' ? { [words]: command.helpInformation() } : {}, ...inner)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

export async function run(words: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    process.stderr.write(`${explainFailure(error, process.env)}\n`)
    process.exit(1)
  }
}
