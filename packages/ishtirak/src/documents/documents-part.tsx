// The documents of a payment in its file, and the act that corrects its invoice.
import { Type } from 'typebox'
import { act, change, WhySchema } from '../acts/act.js'
import type { PaymentPart } from '../acts/file-parts.js'
import { BillingError } from '../core/error.js'
import { invoiceInForce } from '../core/invoice.js'
import { mayDo } from '../core/role.js'
import { type ChangeDeps, changeBy } from '../ledger/change-user.js'
import { creditNoteFor } from '../ledger/documents.js'
import { documentsOfPayment, type StoredDocument } from '../ledger/documents.sql.js'
import { loadPayment } from '../ledger/load.js'
import type { CommonParts } from '../ledger/parts.js'
import { PAYMENT, type SubjectDeps, type SubjectPayment } from '../ledger/subjects.js'
import { addressOf } from '../pages/console-frame.js'
import { Table, Text } from '../pages/console-parts.js'
import { Card } from '../pages/parts.js'
import { DocumentSchema, viewDocument } from './documents.call.js'
import { issueOwedTo, requireCompleteBuyer } from './invoices.js'
import { READ_RECEIPT } from './read-receipt.js'

const KEY = 'documents'

function documentsIn({ parts }: Pick<SubjectPayment, 'parts'>): readonly StoredDocument[] {
  // `load` below returned it.
  return parts[KEY] as readonly StoredDocument[]
}

export function documentsPart({
  database,
}: Pick<CommonParts, 'database'>): PaymentPart<readonly StoredDocument[]> {
  return {
    key: KEY,
    schema: Type.Array(DocumentSchema, { description: 'The documents of the payment, in order' }),
    load: (payment) => documentsOfPayment(database, payment),
    view: (documents) => documents.map(viewDocument),
    card: (pages, view, documents, payment) => {
      // A single receipt is already among the facts of the payment.
      if (documents.length < 2 && documents[0]?.kind !== 'invoice') return null
      const path = `${addressOf(pages.base, 'payments', payment.id)}/receipt`
      const may = mayDo(view.session.operator, READ_RECEIPT)
      return (
        <Card id="issued-documents" title={view.say('documentsOfPayment')}>
          <Table
            {...{ pages, view }}
            rows={documents}
            columns={[
              { head: 'document', text: ({ kind }) => view.say(`document_${kind}`) },
              {
                head: 'number',
                safe: ({ number }) =>
                  may ? (
                    <a href={`${path}?number=${number}`} target="_blank" safe rel="noopener">
                      {number}
                    </a>
                  ) : (
                    <Text>{number}</Text>
                  ),
              },
              { head: 'issuedOn', text: ({ snapshot }) => view.day(snapshot.issuedAt) },
              { head: 'documentAbout', text: ({ snapshot }) => snapshot.about?.number ?? null },
            ]}
          />
        </Card>
      )
    },
  }
}

/** A credit note takes back an invoice with wrong details; a new one with today's details follows. */
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
