// What the comparison with the provider's list brings to the service.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import { closeFinding } from './close-finding.js'
import { continueComparing, listReconciliations, startComparing } from './compare-acts.js'
import { findingRoute } from './finding.route.js'
import { comparisonCard } from './health-part.js'
import { FINDINGS_WAITING } from './inbox.js'
import { type ReconcileActDeps, reconcileDaily } from './reconcile.js'
import './words.js'

export const compare: Capability<ReconcileActDeps> = {
  name: 'compare',
  acts: [startComparing, closeFinding],
  readings: [listReconciliations, continueComparing],
  commandGroups: { findings: 'Close what a comparison found, with the reason' },
  inbox: FINDINGS_WAITING,
  console: findingRoute,
  health: comparisonCard,
  jobs: (deps) => [
    // Once a day the provider's list is compared with our books, and what only one side has is reported.
    {
      name: 'compare-with-provider',
      stage: 'find_out',
      everyMs: 30 * SECOND,
      run: () => reconcileDaily(deps),
      oncePerCluster: true,
    },
  ],
}
