// The reconciliation as a capability: the daily job, acts, pages and the inbox.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import { closeDiscrepancy } from './close-discrepancy.js'
import { reconciliationCard } from './health-card.js'
import { DISCREPANCIES_WAITING } from './inbox.js'
import { type ReconcileActDeps, reconcileDaily } from './reconcile.js'
import { continueReconciling, reconciliationList, startReconciling } from './reconciliation-acts.js'

export const reconciliation: Capability<ReconcileActDeps> = {
  name: 'reconciliation',
  acts: [startReconciling, closeDiscrepancy],
  readings: [...reconciliationList.readings, continueReconciling],
  helpHeading: 'Money:',
  commandGroups: { discrepancies: 'Close what a reconciliation found, with the reason' },
  inbox: DISCREPANCIES_WAITING,
  health: reconciliationCard,
  jobs: (deps) => [
    {
      name: 'reconcile',
      stage: 'find_out',
      everyMs: 30 * SECOND,
      run: () => reconcileDaily(deps),
      oncePerCluster: true,
    },
  ],
}
