// The command that puts a picture or PDF of a transfer into a file.
import { open, rm } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { OPERATIONS } from '../operator/operations.js'
import { createLog } from '../runtime/log.js'
import { askByName } from './cli-names.js'
import { addAccessOptions, requireId } from './cli-operator.js'
import { readConfig } from './config.js'
import { type AccessOptions, CommandFailed, openOperatorClient } from './operator-client.js'

interface ProofOptions extends AccessOptions {
  readonly n: string
  readonly out: string
}

export function addProofCommand(program: Command): void {
  const payments = program.commands.find((one) => one.name() === 'payments')
  if (!payments) throw new Error('the commands about payments come first')
  const { path, method, schema } = OPERATIONS.downloadProof
  const command = payments
    .command('proof <payment>')
    .description(schema.summary)
    .addOption(new Option('--n <n>', 'which one of the transfer').default('1').choices(['1', '2', '3']))
    .requiredOption('--out <file>', 'a new file, which only you may read')
  addAccessOptions(command).action(async (payment: string, { n, out, ...access }: ProofOptions) => {
    requireId(path, payment)
    // Before the reading, which stands in the audit trail.
    const file = await open(out, 'wx', 0o600).catch(sayWhy)
    try {
      const config = readConfig(process.env)
      const client = await openOperatorClient(config, access, createLog({ level: 'error' }))
      const named = { client, name: payment, timeZone: config.billing.timeZone }
      const addressOf = (id: string) => path.replace(':payment_id', encodeURIComponent(id)).replace(':n', n)
      const { type, content } = await askByName(named, (id) =>
        client.download({ method, path: addressOf(id) }),
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
