// An operator closes a discrepancy with a reason. It comes back only if the provider reports something else.
import type { Static } from 'typebox'
import { type ActDeps, act } from '../acts/act.js'
import { auditEntry, requireUnchanged } from '../acts/audit.sql.js'
import { change } from '../acts/preview.js'
import type { Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { findDiscrepancy, saveClosed } from './discrepancies.sql.js'
import { CloseRequestSchema, DiscrepancyParamsSchema, DiscrepancySchema } from './reconciliation-schemas.js'

type Deps = Pick<ActDeps, 'database'>

type Discrepancy = Static<typeof DiscrepancySchema>

const DISCREPANCY: Subject<Deps, Discrepancy> = {
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
async function loadDiscrepancy({ database }: Deps, id: string): Promise<Discrepancy> {
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
    'It opens again if the provider reports something else. 409 with `closed_at`: it is closed already. ' +
    '409 with `changed`: it no longer has the given `version`.',
  input: CloseRequestSchema,
  answer: { schema: DiscrepancySchema, read: (deps, { id }) => loadDiscrepancy(deps, id) },
  isOffered: ({ closed_at }) => closed_at === null,
  fields: async (_pages, { say }) => [{ name: 'why', label: say('reasonClosed'), value: '', type: 'text' }],
  plan: async (deps, { id, input, by }) => {
    const discrepancy = await loadDiscrepancy(deps, id)
    const { kind, gateway, checkout_id, payment_id: paymentId, user_id, outcome, details } = discrepancy
    const { version, closed_at } = discrepancy
    if (input.version !== undefined) requireUnchanged({ seenVersion: input.version }, version)
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
