// `ishtirak cells haproxy`: writes the files of the router.
import type { Command } from 'commander'

export function addCellCommands(program: Command): void {
  program.command('cells').description('The cells of CELLS_FILE, and the router before them')
}
