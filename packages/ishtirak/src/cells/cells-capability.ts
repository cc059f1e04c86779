// What cells bring to the service: the commands for the router before them, and for moves of users.
import type { Capability } from '../acts/capability.js'
import { addCellCommands } from './cli-haproxy.js'
import { addMoveCommand, type MoveConfig, moveSettings } from './cli-move.js'

export const cells: Capability<object, MoveConfig> = {
  name: 'cells',
  settings: moveSettings,
  commands: (program, host) => {
    addCellCommands(program)
    addMoveCommand(program, host)
  },
}
