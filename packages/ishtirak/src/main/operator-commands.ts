// The commands of operators: of the acts and readings of all capabilities, and those written out.
import type { Command } from 'commander'
import { actsOf, type Capability, eventsOf, readingsOf } from '../acts/capability.js'
import { addOperatorCommands } from '../acts/commands.js'
import type { CommandHost } from '../acts/operator-client.js'

export function addAllOperatorCommands(
  program: Command,
  capabilities: readonly Capability[],
  host: CommandHost,
): void {
  const [acts, readings] = [actsOf(capabilities), readingsOf(capabilities)]
  const groups = Object.fromEntries(
    capabilities.flatMap(({ commandGroups = {} }) => Object.entries(commandGroups)),
  )
  addOperatorCommands(program, { acts, readings, groups }, host)
  const events = eventsOf(capabilities)
  for (const { commands } of capabilities) commands?.(program, host, events)
}
