// The documents of a payment in its file: the receipt or invoice, and later ones.
import { Type } from 'typebox'
import type { PaymentPart } from '../acts/file-parts.js'
import { mayDo } from '../core/role.js'
import { documentsOfPayment, type StoredDocument } from '../ledger/documents.sql.js'
import type { CommonParts } from '../ledger/parts.js'
import type { SubjectPayment } from '../ledger/subjects.js'
import { addressOf } from '../pages/console-frame.js'
import { Table, Text } from '../pages/console-parts.js'
import { Card } from '../pages/parts.js'
import { DocumentSchema, viewDocument } from './documents.call.js'
import { READ_RECEIPT } from './read-receipt.js'

const KEY = 'documents'

export function documentsIn({ parts }: Pick<SubjectPayment, 'parts'>): readonly StoredDocument[] {
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
