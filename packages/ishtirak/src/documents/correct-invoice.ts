// An invoice with false details is taken back by a credit note, and another one follows with those given now.
import { act, actTexts } from '../acts/act.js'
import { WhySchema } from '../acts/reason.js'
import { BillingError } from '../core/error.js'
import { invoiceInForce } from '../core/invoice.js'
import { changeBy } from '../ledger/change-user.js'
import { creditNoteFor } from '../ledger/documents.js'
import { documentsOfPayment } from '../ledger/documents.sql.js'
import { loadPayment } from '../ledger/load.js'
import { PAYMENT, type SubjectDeps } from '../ledger/subjects.js'
import { documentsIn } from './documents-part.js'
import { type InvoiceDeps, issueOwedTo, requireWhole } from './invoices.js'
import { documentsWords } from './words.js'

export const correctInvoice = act<InvoiceDeps & SubjectDeps>().decides({
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
  refuses: ['buyer_incomplete', 'already_refunded', 'payment_not_paid'],
  texts: actTexts(documentsWords, 'correct_invoice'),
  load: async (deps, { id }) => {
    const loaded = await loadPayment(deps, id)
    // After the user: a document in between makes their version stale.
    const documents = await documentsOfPayment(deps.database, loaded.payment)
    return { ...loaded, version: loaded.user.version, documents }
  },
  decide: ({ payment, user, documents }) => {
    const invoice = invoiceInForce(documents)
    if (!invoice || payment.status !== 'paid')
      throw new BillingError(payment.status === 'refunded' ? 'already_refunded' : 'conflict', {
        extra: { payment_status: payment.status },
      })
    requireWhole(user.buyer)
    return invoice
  },
  save: async (deps, { by }, { facts, now }) => {
    const revision = { events: [], document: creditNoteFor(deps, facts.documents, now, { owes: true }) }
    const act = { ...by, act: 'payment.correct_invoice' }
    const saved = await changeBy(deps, act, facts, { revision, now })
    // A crash in between leaves it to the job.
    if (saved === 'saved') await issueOwedTo(deps, facts.userId, now)
    return saved
  },
  preview: ({ facts: { documents } }) => {
    const before = invoiceInForce(documents)?.number ?? null
    return { changes: [{ what: 'invoiceInForce', before, after: 'invoiceAnew' }], detail: null }
  },
  form: { isOffered: (file) => file.payment.status === 'paid' && invoiceInForce(documentsIn(file)) !== null },
})
