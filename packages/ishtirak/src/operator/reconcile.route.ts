// The comparison with the provider's list: the last ones, a new one, one more round.
import { BillingError, type ValidationCode } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import type { App } from '../http/app.js'
import { problemResponses } from '../http/problem.js'
import {
  continueComparison,
  listReconciliations,
  type ReconcileDeps,
  startReconciliation,
} from './reconcile.js'
import { ACT, actedBy, BASE, OPERATOR, type OperatorRouteDeps, READ } from './route.js'
import {
  ReconcileRequestSchema,
  ReconciliationParamsSchema,
  ReconciliationSchema,
  ReconciliationsSchema,
} from './schemas.js'
import { viewComparison, viewFinding, viewReconciliation } from './views.js'

export type ReconcileRoutesDeps = OperatorRouteDeps & ReconcileDeps

export function reconcileRoutes(app: App, deps: ReconcileRoutesDeps): void {
  const path = `${BASE}/reconciliations`
  const listSchema = {
    ...OPERATOR,
    operationId: 'listReconciliations',
    summary: 'The last comparisons with the provider, and what was found last',
    response: { 200: ReconciliationsSchema, ...problemResponses(...READ) },
  }
  app.get(path, { schema: listSchema }, async () => {
    const { comparisons, findings } = await listReconciliations(deps)
    return { data: comparisons.map(viewComparison), findings: findings.map(viewFinding) }
  })
  const startSchema = {
    ...OPERATOR,
    operationId: 'startReconciliation',
    summary: 'Compare the provider’s list with our books',
    description:
      'Answers after the first round. While `finished_at` is null, continue it from `next_round_at` on, or let the service do so.',
    body: ReconcileRequestSchema,
    response: { 200: ReconciliationSchema, ...problemResponses(...ACT) },
  }
  app.post(path, { schema: startSchema }, async (request) => {
    const { since, unknown = 'report', why } = request.body
    const sinceAt = Date.parse(since)
    // 31 February is no day, although the language takes it for 3 March.
    if (Number.isNaN(sinceAt) || !toTimestamp(sinceAt).startsWith(since)) throw wrongSince('wrong_format')
    // Nothing was sold before 1970, and databases know no year 0.
    if (sinceAt < 0) throw wrongSince('too_small')
    const wanted = { sinceAt, booksUnknown: unknown === 'book' }
    return viewReconciliation(await startReconciliation(deps, wanted, actedBy(deps, request, why)))
  })
  const continueSchema = {
    ...OPERATOR,
    operationId: 'continueReconciliation',
    summary: 'One more round of a comparison, if it is time for one',
    params: ReconciliationParamsSchema,
    response: { 200: ReconciliationSchema, ...problemResponses(...READ) },
  }
  app.post(`${path}/:reconciliation_id/continue`, { schema: continueSchema }, async ({ params }) =>
    viewReconciliation(await continueComparison(deps, params.reconciliation_id)),
  )
}

function wrongSince(code: ValidationCode): BillingError {
  return new BillingError('validation_failed', { problems: [{ pointer: '/since', code }] })
}
