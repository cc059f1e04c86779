// What cells bring to the service: the commands that write the files of the router before them.
import type { Capability } from '../acts/capability.js'
import { addCellCommands } from './cli-haproxy.js'

export const cells: Capability<object> = {
  name: 'cells',
  commands: addCellCommands,
}
