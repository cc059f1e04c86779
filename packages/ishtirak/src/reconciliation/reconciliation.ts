// The reconciliation as a capability: the daily job, acts, pages and the inbox.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import { addressOf } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { OPEN_DISCREPANCIES } from './discrepancies.sql.js'
import { reconciliationCard } from './health-card.js'
import { type ReconcileDeps, reconcileDaily } from './reconcile.js'
import {
  closeDiscrepancy,
  continueReconciling,
  reconciliationList,
  startReconciling,
} from './reconciliation-acts.js'

export const reconciliation: Capability<ReconcileDeps> = {
  name: 'reconciliation',
  acts: [startReconciling, closeDiscrepancy],
  readings: [...reconciliationList.readings, continueReconciling],
  helpHeading: 'Money:',
  commandGroups: { discrepancies: 'Close what a reconciliation found, with the reason' },
  inbox: [
    {
      name: 'discrepancy',
      place: 6,
      urgency: 'now',
      select: OPEN_DISCREPANCIES,
      isMoney: true,
      nextActs: ['payment.recheck', 'reconciliation.start'],
      next: (entry) => (entry.payment_id === null ? 'reconciliation.start' : 'payment.recheck'),
      detailIs: 'what was found',
      detail: (_pages, view, kind) => codeInWords(view, 'discrepancy', kind),
      path: (base, { id }) => addressOf(base, `health#${id}`),
    },
  ],
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
