// The comparison with the provider's list: the last ones, a new one, one more round.
import { BillingError, type ValidationCode } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import type { App } from '../http/app.js'
import { continueReconciliation, type ReconcileDeps, startReconciliation } from './reconcile.js'
import { listComparisons } from './reconcile.sql.js'
import { actedBy, acts, BASE, type OperatorRouteDeps, reads } from './route.js'
import {
  ReconcileRequestSchema,
  ReconciliationParamsSchema,
  ReconciliationSchema,
  ReconciliationsSchema,
} from './schemas.js'

export type ReconcileRoutesDeps = OperatorRouteDeps & ReconcileDeps

const SHOWN = { comparisons: 10, findings: 100 }

export function reconcileRoutes(app: App, deps: ReconcileRoutesDeps): void {
  const path = `${BASE}/reconciliations`
  const listSchema = {
    ...reads(ReconciliationsSchema),
    operationId: 'listReconciliations',
    summary: 'The last comparisons with the provider, and what was found last',
  }
  app.get(path, { schema: listSchema }, async () => {
    const { comparisons, findings } = await listComparisons(deps.database, null, SHOWN)
    return { data: comparisons, findings }
  })
  const startSchema = {
    ...acts(ReconciliationSchema),
    operationId: 'startReconciliation',
    summary: 'Compare the provider’s list with our books',
    description:
      'Answers after the first round. While `finished_at` is null, continue it from `next_round_at` on, or let the service do so.',
    body: ReconcileRequestSchema,
  }
  app.post(path, { schema: startSchema }, async (request) => {
    const { since, unknown = 'report', why } = request.body
    const sinceAt = Date.parse(since)
    // 31 February is no day, although the language takes it for 3 March.
    if (Number.isNaN(sinceAt) || !toTimestamp(sinceAt).startsWith(since)) throw wrongSince('wrong_format')
    // Nothing was sold before 1970, and databases know no year 0.
    if (sinceAt < 0) throw wrongSince('too_small')
    const wanted = { sinceAt, booksUnknown: unknown === 'book' }
    return startReconciliation(deps, wanted, actedBy(deps, request, why))
  })
  const continueSchema = {
    ...reads(ReconciliationSchema),
    operationId: 'continueReconciliation',
    summary: 'One more round of a comparison, if it is time for one',
    params: ReconciliationParamsSchema,
  }
  app.post(`${path}/:reconciliation_id/continue`, { schema: continueSchema }, async ({ params }) =>
    continueReconciliation(deps, params.reconciliation_id),
  )
}

function wrongSince(code: ValidationCode): BillingError {
  return new BillingError('validation_failed', { problems: [{ pointer: '/since', code }] })
}
