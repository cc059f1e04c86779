// A credit note takes back an invoice with wrong details, and a new invoice with today's details follows.

import { act, change, WhySchema } from '../acts/act.js'
import { BillingError } from '../core/error.js'
import { invoiceInForce } from '../core/invoice.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { changeBy } from '../ledger/change-user.js'
import { creditNoteFor } from '../ledger/documents.js'
import { documentsOfPayment } from '../ledger/documents.sql.js'
import { loadPayment } from '../ledger/load.js'
import { PAYMENT, type SubjectDeps } from '../ledger/subjects.js'
import { documentsIn } from './documents-part.js'
import { issueOwedTo, requireCompleteBuyer } from './invoices.js'

export const correctInvoice = act<ChangeDeps & SubjectDeps>()({
  name: 'payment.correct_invoice',
  roles: ['accountant'],
  on: PAYMENT,
  operationId: 'correctInvoice',
  summary:
    'Take an invoice back by a credit note, and issue another one with the buyer’s details as they are now',
  description:
    'The sale stands, and no money moves. 409 where no invoice is in force, where the payment is refunded ' +
    '(its credit note was issued with the refund), and `buyer_incomplete` where details are missing.',
  input: WhySchema,
  bulk: true,
  refuses: ['buyer_incomplete', 'already_refunded', 'payment_not_paid'],
  isOffered: (file) => file.payment.status === 'paid' && invoiceInForce(documentsIn(file)) !== null,
  plan: async (deps, { id, by }) => {
    const loaded = await loadPayment(deps, id)
    const { payment, user, userId } = loaded
    // Read after the user: a document in between makes the user's version stale.
    const documents = await documentsOfPayment(deps.database, payment)
    const invoice = invoiceInForce(documents)
    if (!invoice || payment.status !== 'paid')
      throw new BillingError(payment.status === 'refunded' ? 'already_refunded' : 'conflict', {
        extra: { payment_status: payment.status },
      })
    requireCompleteBuyer(user.buyer)
    return {
      version: user.version,
      changes: [
        change.text('invoiceInForce', invoice.number, null),
        change.state('document', null, 'invoiceAnew'),
      ],
      save: async () => {
        const now = deps.clock.now()
        const revision = { events: [], document: creditNoteFor(deps, documents, now, { owes: true }) }
        const saved = await changeBy(deps, by, loaded, { revision, now })
        // After a crash in between, the job issues it.
        if (saved === 'saved') await issueOwedTo(deps, userId, now)
        return saved
      },
    }
  },
})
