// The commands of operators: of the acts and readings of all capabilities, and those written out.
import type { Command } from 'commander'
import { actsOf, type Capability, readingsOf } from '../acts/capability.js'
import { addOperatorCommands } from '../acts/commands.js'
import type { CommandHost } from '../acts/operator-client.js'
import { COMMAND_GROUPS, OTHER_COMMANDS } from '../overview/other-commands.js'

export function addAllOperatorCommands(
  program: Command,
  capabilities: readonly Capability[],
  host: CommandHost,
): void {
  const [acts, readings] = [actsOf(capabilities), readingsOf(capabilities)]
  addOperatorCommands(program, { acts, readings, groups: COMMAND_GROUPS, others: OTHER_COMMANDS }, host)
  for (const { commands } of capabilities) commands?.(program, host)
}
