// The mails with a document: the receipt of a payment or of a refund, or a later invoice.
import type { MailWriter } from '../acts/mail-writer.js'
import { RECEIPT_LIFETIME_MS } from '../core/announcement.js'
import { type DocumentSnapshot, totalOf } from '../core/receipt.js'
import { termInWords } from '../i18n/formats.js'
import { isMessageKey, type MessageKey, planName } from '../i18n/messages.js'
import { documentAt } from '../ledger/documents.sql.js'
import type { CommonParts } from '../ledger/parts.js'
import { findReceipt, type Receipt, type ReceiptDeps, readReceipt } from './receipt.js'

export type ReceiptMailDeps = ReceiptDeps & Pick<CommonParts, 'clock' | 'formats'>

export const documentMails = (deps: ReceiptMailDeps): readonly MailWriter[] => [
  receiptMail(deps, 'receipt'),
  receiptMail(deps, 'refunded'),
  invoiceMail(deps),
]

function receiptMail(deps: ReceiptMailDeps, kind: 'receipt' | 'refunded'): MailWriter {
  return {
    kind,
    lifetimeMs: RECEIPT_LIFETIME_MS,
    write: async (mail, { locale, say }) => {
      const of = { userId: mail.userId, paymentId: mail.about, locale }
      const { payment, documents, document } = await findReceipt(deps, of)
      const last = documents.at(-1)
      // Only an invoice has a credit note. Of several invoices the mail names the one that was in force.
      const creditNote = kind === 'refunded' && last?.kind === 'credit_note' ? last : null
      const { snapshot } = document
      const number = creditNote?.snapshot.about?.number ?? document.number
      const end = payment.periodEnd ?? mail.user.subscription.paidUntil ?? deps.clock.now()
      const data = {
        plan: planName(snapshot.planName ?? '', locale),
        end: deps.formats.moment(end, locale),
        amount: deps.formats.centimes(totalOf(snapshot), locale),
        duty: deps.formats.centimes(snapshot.stampDutyCentimes, locale),
        reference: snapshot.checkoutId ?? '',
        number,
        term: termInWords(snapshot.months ?? 0, locale),
        credit_note: creditNote?.number ?? '',
      }
      // If an invoice is not attached, no print of it is recorded.
      const attached = await readReceipt(deps, { ...of, number: creditNote?.number }, 'mail')
      const named = kind === 'receipt' && document.kind === 'invoice' ? 'invoice' : kind
      const next = attached.content === null ? 'unprinted' : creditNote ? 'credit_note' : named
      return {
        subject: say(`mail_${named}_subject`, data),
        paragraphs: [say(whatKey(kind, snapshot), data), say(`mail_${next}_next`, data)],
        button: say('openPortal'),
        attachments: attachmentsOf(attached),
      }
    },
  }
}

function invoiceMail(deps: ReceiptMailDeps): MailWriter {
  return {
    kind: 'invoice',
    lifetimeMs: RECEIPT_LIFETIME_MS,
    write: async ({ userId, about }, { locale, say }) => {
      const [paymentId = '', place] = about.split('/')
      const found = { userId, paymentId, place: Number(place) }
      const { number, snapshot } = await documentAt(deps.database, found)
      const of = { userId, paymentId, number, locale }
      const invoice = await readReceipt(deps, of, 'mail')
      const creditNote = snapshot.about?.kind === 'credit_note' ? snapshot.about.number : null
      const takesBack = creditNote && (await readReceipt(deps, { ...of, number: creditNote }, 'mail'))
      const amount = deps.formats.centimes(totalOf(snapshot), locale)
      const data = { number, amount, credit_note: creditNote ?? '' }
      return {
        subject: say('mail_invoice_subject', data),
        paragraphs: [say(creditNote === null ? 'mail_invoice_what' : 'mail_invoice_corrected_what', data)],
        button: say('openPortal'),
        attachments: [...(takesBack ? attachmentsOf(takesBack) : []), ...attachmentsOf(invoice)],
      }
    },
  }
}

function attachmentsOf({ name: filename, content }: Receipt) {
  if (content === null) return []
  return [{ filename, content: Buffer.from(content), contentType: 'application/pdf' }]
}

/** Money over the counter is not paid by card, and the mail says how it was paid. */
function whatKey(kind: 'receipt' | 'refunded', snapshot: DocumentSnapshot): MessageKey {
  const { paymentMethod: method, months, tax, change } = snapshot
  if (tax.kind === 'advance') return `mail_${kind}_advance_what`
  if (kind === 'receipt' && change) return 'mail_receipt_change_what'
  const ofMethod = `mail_${kind}_${method}_what`
  if (isMessageKey(ofMethod)) return ofMethod
  return kind === 'receipt' && months !== null && months > 1 ? 'mail_receipt_term_what' : `mail_${kind}_what`
}
