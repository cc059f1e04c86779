// The commands of operators: those of the acts and readings of all capabilities, and those that capabilities write out.
import type { Command } from 'commander'
import type { Capability } from '../acts/capability.js'
import { addOperatorCommands } from '../acts/commands.js'
import type { CommandHost } from '../acts/operator-client.js'
import { addBackupCommands } from '../backup/cli-backup.js'
import { COMMAND_GROUPS, OTHER_COMMANDS } from '../overview/other-commands.js'
import { addProofCommand } from '../transfers/cli-proof.js'
import type { Parts } from './wire.js'

export function addAllOperatorCommands(
  program: Command,
  capabilities: readonly Capability<Parts>[],
  host: CommandHost,
): void {
  const acts = capabilities.flatMap((one) => one.acts ?? [])
  const readings = capabilities.flatMap((one) => one.readings ?? [])
  addOperatorCommands(program, { acts, readings, groups: COMMAND_GROUPS, others: OTHER_COMMANDS }, host)
  addProofCommand(program, host)
  addBackupCommands(program, host)
}
