// What papers add to everything known of a payment: the facture in place of its receipt, and what came later.
import { Type } from 'typebox'
import type { PaymentPart } from '../acts/file-parts.js'
import { mayDo } from '../core/role.js'
import { papersOfPayment, type StoredPaper } from '../ledger/papers.sql.js'
import type { CommonParts } from '../ledger/parts.js'
import type { SubjectPayment } from '../ledger/subjects.js'
import { addressOf, Table, Text } from '../pages/console-frame.js'
import { Card } from '../pages/portal-frame.js'
import { PaperSchema, viewPaper } from './facture.route.js'
import { READ_RECEIPT } from './read-receipt.js'

const KEY = 'papers'

/** All that was issued for the payment, in order. */
export function papersIn({ parts }: Pick<SubjectPayment, 'parts'>): readonly StoredPaper[] {
  // What `load` below has given.
  return parts[KEY] as readonly StoredPaper[]
}

export function papersPart({ database }: Pick<CommonParts, 'database'>): PaymentPart<readonly StoredPaper[]> {
  return {
    key: KEY,
    schema: Type.Array(PaperSchema, { description: 'What was issued for it, in order' }),
    load: (payment) => papersOfPayment(database, payment),
    view: (papers) => papers.map(viewPaper),
    card: (pages, { say, session, locale }, papers, payment) => {
      // A receipt alone stands among the facts of the payment.
      if (papers.length < 2 && papers[0]?.kind !== 'facture') return null
      const path = `${addressOf(pages.base, 'payments', payment.id)}/receipt`
      const may = mayDo(session.operator, READ_RECEIPT)
      const rows = papers.map(({ kind, number, snapshot }) => ({
        safeCells: [
          <Text>{say(`paper_${kind}`)}</Text>,
          may ? (
            <a href={`${path}?number=${number}`} target="_blank" safe rel="noopener">
              {number}
            </a>
          ) : (
            <Text>{number}</Text>
          ),
          <Text>{pages.formats.day(snapshot.issuedAt, locale)}</Text>,
          <Text>{snapshot.about?.number ?? ''}</Text>,
        ],
      }))
      const columns = [say('paper'), say('number'), say('issuedOn'), say('paperAbout')]
      return (
        <Card id="issued-papers" title={say('papersOfPayment')}>
          <Table columns={columns} safeRows={rows} />
        </Card>
      )
    },
  }
}
