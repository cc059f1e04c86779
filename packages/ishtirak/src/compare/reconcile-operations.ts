// The comparison with the provider: how it is asked for, and how what it found is closed. A part of `OPERATIONS`.
import { acts, LIMITED, reads } from '../acts/operation.js'
import * as reconcile from './reconcile-schemas.js'

export const COMPARISON_OPERATIONS = {
  listReconciliations: reads(
    '/reconciliations',
    'The last comparisons with the provider, and what was found last',
    {},
    reconcile.ReconciliationsSchema,
  ),
  startReconciliation: acts(
    '/reconciliations',
    'Compare the provider’s list with our books, and say what only one side has',
    {
      body: reconcile.ReconcileRequestSchema,
      description:
        'Answers after the first round. While `finished_at` is null, continue it from `next_round_at` on, or let the service do so.',
    },
    reconcile.ReconciliationSchema,
    ['unknown_method'],
  ),
  continueReconciliation: {
    ...reads(
      '/reconciliations/:reconciliation_id/continue',
      'One more round of a comparison, if it is time for one',
      { params: reconcile.ReconciliationParamsSchema },
      reconcile.ReconciliationSchema,
      LIMITED,
    ),
    method: 'POST' as const,
  },
  closeFinding: acts(
    '/findings/:checkout_id/close',
    'Close a finding of a comparison: it was looked at, and waits no more',
    {
      params: reconcile.FindingParamsSchema,
      body: reconcile.CloseRequestSchema,
      description:
        'It comes back where the provider says something else. 409 with `closed_at` when it is closed already, with `changed` when it is not the `version` that was named.',
    },
    reconcile.FindingSchema,
  ),
}
