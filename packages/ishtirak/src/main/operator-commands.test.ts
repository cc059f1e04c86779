// The commands of operators, all of them.
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { CAPABILITIES } from './capabilities.js'
import { commandHost } from './command-host.js'
import { addAllOperatorCommands } from './operator-commands.js'

const optionsOf = (command: Command): readonly string[] => [
  ...command.options.flatMap(({ long }) => long ?? []),
  ...command.commands.flatMap(optionsOf),
]

it('take options whose words are set apart by hyphens', () => {
  const program = new Command('ishtirak')
  addAllOperatorCommands(program, CAPABILITIES, commandHost)
  const options = optionsOf(program)
  expect(options).toContain('--top-up')
  expect(options.filter((name) => name.includes('_'))).toEqual([])
})
