// Bulk acts as a capability: the act, its pages and readings, and the job that works them off.
import type { Capability } from '../acts/capability.js'
import { listRoute } from '../acts/list-page.js'
import { SECOND } from '../core/instant.js'
import { type BulkDeps, startBulk, stopBulk } from './bulk-act.js'
import { BULK_READINGS, bulksPage, resultsPage } from './bulk-lists.js'
import { workOff } from './work-off.js'

/** The most targets in a round of the job. */
const A_ROUND = 20_000

export const bulk: Capability<BulkDeps> = {
  name: 'bulk',
  acts: [startBulk, stopBulk],
  readings: BULK_READINGS,
  commandGroups: { bulk: 'See how far acts on lists are, and stop one' },
  console: (app, pages) => {
    listRoute(app, pages, bulksPage)
    listRoute(app, pages, resultsPage)
  },
  sections: [{ key: 'bulkTitle', path: '/console/bulk', order: 2.7, permission: startBulk }],
  jobs: (deps) => [
    {
      name: 'work-off-bulk',
      stage: 'announce',
      everyMs: 2 * SECOND,
      run: (goesOn) => workOff(deps, null, { most: A_ROUND, goesOn }),
    },
  ],
}
