// Operators' calls of the reconciliation: start one, continue it round by round, list them.
import { Type } from 'typebox'
import { act } from '../acts/act.js'
import { readInstant } from '../acts/day.js'
import { list } from '../acts/list.js'
import { change } from '../acts/preview.js'
import { reading } from '../acts/reading.js'
import { onNothing } from '../acts/subject.js'
import { DAY } from '../core/instant.js'
import { readReconciliations } from './discrepancies.sql.js'
import { continueReconciliation, type ReconcileDeps, startReconciliation } from './reconcile.js'
import {
  DiscrepancySchema,
  ReconcileRequestSchema,
  ReconciliationParamsSchema,
  ReconciliationSchema,
  RoundSchema,
} from './reconciliation-schemas.js'

/** The default of the console's form. */
const RECONCILED_DAYS = 30

export const startReconciling = act<ReconcileDeps>()({
  name: 'reconciliation.start',
  roles: [],
  on: {
    ...onNothing('reconciliations', '/reconciliations', 'reconcile', '/console/health'),
    command: {
      group: 'reconcile',
      columns: { discrepancies: ['kind', 'outcome', 'user_id', 'payment_id', 'checkout_id', 'details'] },
    },
  },
  operationId: 'startReconciliation',
  summary: 'Compare the provider’s list with our books, and store the differences',
  description:
    'Answers after the first round. While `finished_at` is null, the service continues it, and so does a ' +
    'call to `continue` from `next_round_at` on.',
  input: ReconcileRequestSchema,
  refuses: ['unknown_method'],
  answer: {
    schema: RoundSchema,
    // A repetition returns the progress.
    read: async (deps, _call, begun, earlier) =>
      earlier ? continueReconciliation(deps, String(earlier.after.reconciliation_id)) : begun,
  },
  fields: async ({ formats, clock }, { say }) => {
    const value = formats.isoDay(clock.now() - RECONCILED_DAYS * DAY)
    return [{ name: 'since', label: say('reconciledSince'), value, type: 'date' }]
  },
  plan: async (deps, { input: { since, unknown, gateway }, by }) => {
    const sinceAt = readInstant(deps.wallClock, 'since', since)
    return {
      version: 0,
      changes: [
        change.instant('reconciledSince', sinceAt),
        change.state('reconciliation', 'asItIs', 'underWay'),
      ],
      save: () => startReconciliation(deps, { sinceAt, booksUnknown: unknown === 'book', gateway }, by),
    }
  },
})

export const continueReconciling = reading<ReconcileDeps>()({
  method: 'POST',
  name: startReconciling.name,
  roles: [],
  path: '/reconciliations/:reconciliation_id/continue',
  operationId: 'continueReconciliation',
  summary: 'Do the next round of a reconciliation, if it is due',
  params: ReconciliationParamsSchema,
  answer: RoundSchema,
  command: null,
  read: (deps, { params }) => continueReconciliation(deps, params.reconciliation_id),
})

const SHOWN = { reconciliations: 10, discrepancies: 100 }

export const reconciliationList = list<ReconcileDeps>()({
  path: '/reconciliations',
  operationId: 'listReconciliations',
  summary: 'The last reconciliations with the provider, and the newest discrepancies',
  item: ReconciliationSchema,
  title: 'Reconciliations',
  isWhole: true,
  beside: { discrepancies: Type.Array(DiscrepancySchema) },
  command: null,
  read: async ({ database }) => {
    const { reconciliations: items, ...beside } = await readReconciliations(database, null, SHOWN)
    return { items, nextCursor: null, beside }
  },
})
