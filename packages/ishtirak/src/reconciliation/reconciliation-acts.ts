// Operators' calls of the reconciliation: start one, continue it round by round, list them, and close a
// discrepancy with a reason. It comes back only if the provider reports something else.
import { type Static, Type } from 'typebox'
import { type ActDeps, act, change, WhySchema } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { readInstant } from '../acts/day.js'
import { list } from '../acts/list.js'
import { reading } from '../acts/reading.js'
import { onNothing, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { DAY } from '../core/instant.js'
import { findDiscrepancy, readReconciliations, saveClosed } from './discrepancies.sql.js'
import { continueReconciliation, type ReconcileDeps, startReconciliation } from './reconcile.js'
import {
  DiscrepancyParamsSchema,
  DiscrepancySchema,
  ReconcileRequestSchema,
  ReconciliationParamsSchema,
  ReconciliationSchema,
  RoundSchema,
} from './reconciliation-schemas.js'

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
  plan: async (deps, { input: { since, unknown }, by }) => {
    const sinceAt = readInstant(deps.wallClock, 'since', since)
    return {
      version: 0,
      changes: [
        change.instant('reconciledSince', sinceAt),
        change.state('reconciliation', 'asItIs', 'underWay'),
      ],
      save: () => startReconciliation(deps, { sinceAt, booksUnknown: unknown === 'book' }, by),
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

type Discrepancy = Static<typeof DiscrepancySchema>

const DISCREPANCY: Subject<ActDeps, Discrepancy> = {
  name: 'discrepancy',
  path: '/discrepancies/:discrepancy_id',
  params: DiscrepancyParamsSchema,
  command: { group: 'discrepancies', argument: 'discrepancy' },
  about: async (deps, id) => {
    const { user_id, payment_id: paymentId } = await loadDiscrepancy(deps, id)
    return { userId: user_id ?? '', ...(paymentId !== null && { paymentId }) }
  },
  file: (deps) => ({
    schema: DiscrepancySchema,
    read: (id) => loadDiscrepancy(deps, id),
    view: (discrepancy) => discrepancy,
  }),
  page: () => '/console/health',
}

/** Throws `not_found`. */
async function loadDiscrepancy({ database }: Pick<ActDeps, 'database'>, id: string): Promise<Discrepancy> {
  const found = await findDiscrepancy(database, id)
  if (!found) throw new BillingError('not_found', { extra: { discrepancy_id: id } })
  return found
}

export const closeDiscrepancy = act<ActDeps>()({
  name: 'discrepancy.close',
  // Closing a discrepancy judges the books, and moves no money.
  roles: ['accountant'],
  on: DISCREPANCY,
  operationId: 'closeDiscrepancy',
  summary: 'Close a discrepancy that an operator has checked',
  description:
    'It opens again if the provider reports something else. 409 with `closed_at`: it is closed already.',
  input: WhySchema,
  isOffered: ({ closed_at }) => closed_at === null,
  fields: async (_pages, { say }) => [{ name: 'why', label: say('reasonClosed'), value: '', type: 'text' }],
  plan: async (deps, { id, by }) => {
    const discrepancy = await loadDiscrepancy(deps, id)
    const { kind, gateway, checkout_id, payment_id: paymentId, user_id, outcome, details } = discrepancy
    const { version, closed_at } = discrepancy
    if (closed_at !== null) throw new BillingError('conflict', { extra: { closed_at } })
    const { amount }: { readonly amount?: unknown } = Object(details)
    return {
      version,
      changes: [
        change.state('what', `discrepancy_${kind}`),
        change.state('outcome', `outcome_${outcome}`),
        change.text('checkout', checkout_id),
        change.text(kind === 'unknown_paid' ? 'paymentNamed' : 'payment', paymentId),
        change.text('user', user_id),
        change.dinars('amount', typeof amount === 'number' ? amount : null),
        change.instant('foundAt', Date.parse(discrepancy.found_at)),
        change.instant('seenAt', Date.parse(discrepancy.seen_at)),
        change.state('kind_discrepancy', 'discrepancyOpen', 'discrepancyClosed'),
      ],
      save: async () => {
        const now = deps.clock.now()
        const before = { kind, gateway, checkout_id, outcome, details }
        const audit = auditEntry(deps.ids, by, { paymentId, before, after: { closed: true }, now })
        return (await saveClosed(deps.database, id, { audit, version, now })) ? 'saved' : 'stale'
      },
    }
  },
})
