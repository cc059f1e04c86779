// The mail with an invoice that was issued after a receipt or a credit note.
import type { MailWriter } from '../acts/mail-writer.js'
import { RECEIPT_LIFETIME_MS } from '../core/announcement.js'
import { totalOf } from '../core/receipt.js'
import { documentAt } from '../ledger/documents.sql.js'
import { readReceipt } from './receipt.js'
import { attachmentsOf, type ReceiptMailDeps } from './receipt-mail.js'

export function invoiceMail(deps: ReceiptMailDeps): MailWriter {
  return {
    kind: 'invoice',
    lifetimeMs: RECEIPT_LIFETIME_MS,
    write: async ({ userId, about }, { locale, say }) => {
      const [paymentId = '', place] = about.split('/')
      const found = { userId, paymentId, place: Number(place) }
      const { number, snapshot } = await documentAt(deps.database, found)
      const of = { userId, paymentId, number, locale }
      const invoice = await readReceipt(deps, of, { printedFor: 'mail' })
      const creditNote = snapshot.about?.kind === 'credit_note' ? snapshot.about.number : null
      const takesBack =
        creditNote === null
          ? []
          : [await readReceipt(deps, { ...of, number: creditNote }, { printedFor: 'mail' })]
      const amount = deps.formats.centimes(totalOf(snapshot), locale)
      const data = { number, amount, credit_note: creditNote ?? '' }
      return {
        subject: say('mail_invoice_subject', data),
        paragraphs: [say(creditNote === null ? 'mail_invoice_what' : 'mail_invoice_corrected_what', data)],
        button: say('openPortal'),
        attachments: [...takesBack, invoice].flatMap(attachmentsOf),
      }
    },
  }
}
