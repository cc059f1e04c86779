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
  const known = new Set(program.commands)
  addOperatorCommands(program, { acts, readings, groups }, host)
  const events = eventsOf(capabilities)
  for (const { commands } of capabilities) commands?.(program, host, events)
  const headings = new Map(capabilities.flatMap(headingsOf))
  for (const command of program.commands)
    if (!known.has(command)) command.helpGroup(headings.get(command.name()) ?? 'Operate:')
}

/** Pairs each command of a capability, by its name, with the heading of `--help`. */
function headingsOf({ helpHeading, commandGroups = {}, readings = [], acts = [] }: Capability) {
  if (!helpHeading) return []
  const alone = readings.flatMap(({ command }) => command?.usage.split(' ')[0] ?? [])
  const ofActs = acts.map(({ on }) => on.command.group)
  return [...Object.keys(commandGroups), ...alone, ...ofActs].map((name) => [name, helpHeading] as const)
}
