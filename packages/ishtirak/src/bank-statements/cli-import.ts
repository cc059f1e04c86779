// The command that reads in a bank statement, and may approve what is sure in it.
import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { plainJson, sections } from '../acts/cli-tables.js'
import { commandsOf } from '../acts/commands.js'
import {
  type AccessOptions,
  addAccessOptions,
  CommandFailed,
  type CommandHost,
  type OperatorClient,
} from '../acts/operator-client.js'
import type { CommandAnswer } from '../acts/reading.js'
import { bankForm } from '../transfers/bank-form-schema.js'
import { importBankStatement } from './bank-readings.js'

type ImportOptions = AccessOptions & {
  readonly account: string
  readonly approveSure?: true
  readonly why?: string
  readonly json?: true
} & Readonly<Record<string, unknown>>

export function addImportCommand(program: Command, host: CommandHost): void {
  const command = commandsOf(program, 'bank-statements')
    .command('import <file>')
    .description(importBankStatement.summary)
    .addOption(
      new Option('--account <kind>', 'the account')
        .choices(['ccp', 'baridimob', 'bank'])
        .makeOptionMandatory(),
    )
    .option('--approve-sure', 'approve each transfer that a line is for without a doubt')
    .option('--why <why>', 'with --approve-sure: goes into the audit trail')
  const members = Object.entries<object>(bankForm).map(([name, member]) => {
    const { description = '', enum: choices }: { description?: string; enum?: string[] } = Object(member)
    const option = new Option(`--${name.replaceAll('_', '-')} <${name}>`, description)
    command.addOption(choices ? option.choices(choices) : option)
    return { name, key: option.attributeName() }
  })
  addAccessOptions(command)
    .option('--json', 'the answer of the API, as JSON')
    .action(async (path: string, options: ImportOptions) => {
      const { account, approveSure, why, json } = options
      if (approveSure && why === undefined) throw new CommandFailed('--approve-sure needs --why')
      const file = await readFile(path).catch((error: Error) => {
        throw new CommandFailed(error.message)
      })
      const said = members.flatMap(({ name, key }) =>
        options[key] === undefined ? [] : [[name, String(options[key])]],
      )
      const query = new URLSearchParams([['account', account], ...said])
      const client = await host.openClient(options)
      const answer = await client
        .ask({ method: 'POST', path: `${importBankStatement.path}?${query}`, file })
        .then((text) => JSON.parse(text))
        .then((statement) => (approveSure ? approveAllSure(client, statement, why) : statement))
        .finally(() => client.close())
      process.stdout.write(`${json ? plainJson(answer) : sections(answer, host.timeZone())}\n`)
    })
}

/** In rounds, until none is left or a round approves nothing. Gives how the file was read, too. */
async function approveAllSure(
  client: OperatorClient,
  { data, next_cursor, ...statement }: CommandAnswer,
  why: string | undefined,
): Promise<CommandAnswer> {
  const id = statement.statement_id
  const path = `${importBankStatement.path}/${encodeURIComponent(String(id))}/approve`
  const results: object[] = []
  for (;;) {
    const round = JSON.parse(await client.ask({ method: 'POST', path, body: { why } }))
    results.push(...round.results)
    const isDone =
      round.left === 0 || round.results.every((one: { outcome: string }) => one.outcome === 'refused')
    if (isDone) return { ...statement, results, left: round.left }
  }
}
