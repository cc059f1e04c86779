// The command that puts a picture or PDF of a transfer into a file.
import { open, rm } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { askByName } from '../acts/cli-names.js'
import { requireId } from '../acts/commands.js'
import {
  type AccessOptions,
  addAccessOptions,
  CommandFailed,
  type CommandHost,
} from '../acts/operator-client.js'
import { downloadProof } from './read-proof.js'

interface ProofOptions extends AccessOptions {
  readonly n: string
  readonly out: string
}

export function addProofCommand(program: Command, host: CommandHost): void {
  const payments = program.commands.find((one) => one.name() === 'payments')
  if (!payments) throw new Error('the commands about payments come first')
  const { path, summary } = downloadProof
  const command = payments
    .command('proof <payment>')
    .description(summary)
    .addOption(new Option('--n <n>', 'which one of the transfer').default('1').choices(['1', '2', '3']))
    .requiredOption('--out <file>', 'a new file, which only you may read')
  addAccessOptions(command).action(async (payment: string, { n, out, ...access }: ProofOptions) => {
    requireId(payment)
    // Before the reading, which stands in the audit trail.
    const file = await open(out, 'wx', 0o600).catch(sayWhy)
    try {
      const client = await host.openClient(access)
      const named = { client, name: payment, timeZone: host.timeZone() }
      const addressOf = (id: string) => path.replace(':payment_id', encodeURIComponent(id)).replace(':n', n)
      const { type, content } = await askByName(named, (id) =>
        client.download({ method: 'GET', path: addressOf(id) }),
      ).finally(() => client.close())
      await file.writeFile(content)
      process.stdout.write(`${out}: ${type}, ${content.length} bytes\n`)
    } catch (error) {
      await rm(out)
      throw error
    } finally {
      await file.close()
    }
  })
}

function sayWhy(error: NodeJS.ErrnoException): never {
  throw new CommandFailed(
    error.code === 'EEXIST' ? `the file exists: ${error.path}; name another one` : error.message,
  )
}
