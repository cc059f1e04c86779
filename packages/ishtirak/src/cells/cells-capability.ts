// What cells bring to the service: that operators of one read all of them and act in them, the command that
// writes the files of the router before them, and the one by which users move.
import type { Capability } from '../acts/capability.js'
import type { LiveCells } from '../runtime/cells.js'
import { type ActsDeps, actsRoute } from './acts.route.js'
import { addHaproxyCommand } from './cli-haproxy.js'
import { addMoveCommand, type MoveConfig, moveSettings } from './cli-move.js'
import { type RowsDeps, rowsRoute } from './rows.route.js'

type CellsDeps = Omit<RowsDeps & ActsDeps, 'cells'> & { readonly cells: LiveCells | null }

export const cells: Capability<CellsDeps, MoveConfig> = {
  name: 'cells',
  settings: moveSettings,
  routes: (deps) => async (app) => {
    const { cells } = deps
    if (!cells) return
    await app.register(rowsRoute({ ...deps, cells }))
    await app.register(actsRoute({ ...deps, cells }))
  },
  commands: (program, host) => {
    const group = program
      .command('cells')
      .description('The router before the cells of CELLS_FILE, and users who move between them')
    addHaproxyCommand(group)
    addMoveCommand(group, host)
  },
}
