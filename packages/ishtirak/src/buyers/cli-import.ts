// The command that takes the details of buyers from a file.
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { plainJson, sections } from '../acts/cli-tables.js'
import {
  type AccessOptions,
  addAccessOptions,
  CommandFailed,
  type CommandHost,
} from '../acts/operator-client.js'
import { importBuyers } from './import-buyers.js'

type ImportOptions = AccessOptions & { readonly dryRun?: true; readonly json?: true }

export function addBuyersCommand(program: Command, host: CommandHost): void {
  const command = program
    .command('buyers')
    .description('What invoices name of buyers')
    .command('import <file>')
    .description(importBuyers.summary)
    .option('--dry-run', 'say what would be done, and change nothing')
  addAccessOptions(command)
    .option('--json', 'the answer of the API, as JSON')
    .action(async (path: string, { dryRun, json, ...access }: ImportOptions) => {
      const file = await readFile(path).catch((error: Error) => {
        throw new CommandFailed(error.message)
      })
      const client = await host.openClient(access)
      const answer = await client
        .ask({ method: 'POST', path: `${importBuyers.path}?dry_run=${dryRun === true}`, file })
        .then((text) => JSON.parse(text))
        .finally(() => client.close())
      const shown = () => sections({ ...answer, results: answer.results.map(lineOf) }, host.timeZone())
      process.stdout.write(`${json ? plainJson(answer) : shown()}\n`)
      if (answer.failed > 0) process.exitCode = 1
    })
}

interface Result {
  readonly errors: readonly { readonly field: string; readonly code: string }[]
}

const lineOf = ({ errors, ...result }: Result) => ({
  ...result,
  errors: errors.map(({ field, code }) => `${field} ${code}`).join(', '),
})
