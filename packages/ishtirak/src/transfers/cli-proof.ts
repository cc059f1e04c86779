// The command that puts a picture or PDF of a transfer into a file.
import { type Command, Option } from 'commander'
import { addFileCommand } from '../acts/cli-file.js'
import type { CommandHost } from '../acts/operator-client.js'
import { downloadProof } from './read-proof.js'

export function addProofCommand(program: Command, host: CommandHost): void {
  addFileCommand(program, host, {
    usage: 'payments proof <payment>',
    summary: downloadProof.summary,
    flag: '--out',
    options: [new Option('--n <n>', 'which one of the transfer').default('1').choices(['1', '2', '3'])],
    path: (id, { n = '1' }) => downloadProof.path.replace(':payment_id', id).replace(':n', n),
  })
}
