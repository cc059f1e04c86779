// The mail with a facture that came after its receipt, or after the avoir for the one before it.
import type { MailWriter } from '../acts/mail-writer.js'
import { RECEIPT_LIFETIME_MS } from '../core/announcement.js'
import { totalOf } from '../core/receipt.js'
import { findPaper } from '../ledger/papers.sql.js'
import { readReceipt } from './receipt.js'
import { attachmentsOf, type ReceiptMailDeps } from './receipt-mail.js'

export function factureMail(deps: ReceiptMailDeps): MailWriter {
  return {
    kind: 'facture',
    lifetimeMs: RECEIPT_LIFETIME_MS,
    write: async ({ userId, about }, { locale, say }) => {
      const { number, snapshot } = await findPaper(deps.database, userId, about)
      const { paymentId } = snapshot
      const of = { userId, paymentId, number, locale }
      const facture = await readReceipt(deps, of, { printedFor: 'mail' })
      const avoir = snapshot.about?.kind === 'avoir' ? snapshot.about.number : null
      const takesBack =
        avoir === null ? [] : [await readReceipt(deps, { ...of, number: avoir }, { printedFor: 'mail' })]
      const amount = deps.formats.centimes(totalOf(snapshot), locale)
      const data = { number, amount, avoir: avoir ?? '' }
      return {
        subject: say('mail_facture_subject', data),
        paragraphs: [say(avoir === null ? 'mail_facture_what' : 'mail_facture_corrected_what', data)],
        button: say('openPortal'),
        attachments: [...takesBack, facture].flatMap(attachmentsOf),
      }
    },
  }
}
