// The mail with a receipt: of a payment that came, and of one that was given back.
import type { MailTo, MailWriter } from '../acts/mail-writer.js'
import { RECEIPT_LIFETIME_MS } from '../core/announcement.js'
import type { IssuedDocument } from '../core/invoice.js'
import type { Locale } from '../core/locale.js'
import { totalOf } from '../core/receipt.js'
import { termInWords } from '../i18n/formats.js'
import { isMessageKey, type MessageKey, planName } from '../i18n/messages.js'
import { documentsOfPayment } from '../ledger/documents.sql.js'
import type { CommonParts } from '../ledger/parts.js'
import {
  pdfName,
  type Receipt,
  type ReceiptDeps,
  type ReceiptWish,
  readReceipt,
  type StoredReceipt,
  storedReceipt,
} from './receipt.js'

export type ReceiptMailDeps = ReceiptDeps & Pick<CommonParts, 'clock' | 'formats'>

export function receiptMails(deps: ReceiptMailDeps): readonly MailWriter[] {
  return (['receipt', 'refunded'] as const).map((kind) => ({
    kind,
    lifetimeMs: RECEIPT_LIFETIME_MS,
    write: async (mail, { locale, say }) => {
      const of = { userId: mail.userId, paymentId: mail.about, locale }
      const first = await storedReceipt(deps, of)
      const creditNote = kind === 'refunded' ? await creditNoteOf(deps, of) : null
      // Of several invoices the one that was in force.
      const receipt = { ...first, number: creditNote?.snapshot.about?.number ?? first.number }
      const data = { ...dataOf(deps, mail, receipt, locale), credit_note: creditNote?.number ?? '' }
      // Of an invoice that is not attached no print is noted.
      const attached = await readReceipt(deps, { ...of, number: creditNote?.number }, { printedFor: 'mail' })
      const named = kind === 'receipt' && receipt.snapshot.kind === 'invoice' ? 'invoice' : kind
      const next =
        attached.pdf === null ? 'mail_unprinted_next' : creditNote ? 'mail_credit_note_next' : NEXT[named]
      return {
        subject: say(`mail_${named}_subject`, data),
        paragraphs: [say(whatKey(kind, receipt), data), say(next, data)],
        button: say('openPortal'),
        attachments: attachmentsOf(attached),
      }
    },
  }))
}

const NEXT = {
  receipt: 'mail_receipt_next',
  refunded: 'mail_refunded_next',
  invoice: 'mail_invoice_next',
} as const

/** What the refund of an invoiced payment issued; null: it had no invoice. */
async function creditNoteOf({ database }: ReceiptMailDeps, of: ReceiptWish): Promise<IssuedDocument | null> {
  const documents = await documentsOfPayment(database, { userId: of.userId, id: of.paymentId })
  const last = documents.at(-1)
  return last?.kind === 'credit_note' ? last : null
}

export function attachmentsOf({ number, pdf, snapshot }: Receipt) {
  if (pdf === null) return []
  return [
    {
      filename: pdfName({ number, snapshot }),
      content: Buffer.from(pdf),
      contentType: 'application/pdf',
    },
  ]
}

/** What is handed over is not paid by card: the mail says how. */
function whatKey(kind: 'receipt' | 'refunded', { snapshot }: StoredReceipt): MessageKey {
  const { paymentMethod: method, months, tax, change } = snapshot
  if (tax.kind === 'advance') return `mail_${kind}_advance_what`
  if (kind === 'receipt' && change) return 'mail_receipt_change_what'
  const ofMethod = `mail_${kind}_${method}_what`
  if (isMessageKey(ofMethod)) return ofMethod
  return kind === 'receipt' && months !== null && months > 1 ? 'mail_receipt_term_what' : `mail_${kind}_what`
}

function dataOf(
  { clock, formats }: ReceiptMailDeps,
  { user }: MailTo,
  { number, snapshot, periodEnd }: StoredReceipt,
  locale: Locale,
) {
  return {
    plan: planName(snapshot.planName ?? '', locale),
    end: formats.moment(periodEnd ?? user.subscription.paidUntil ?? clock.now(), locale),
    amount: formats.centimes(totalOf(snapshot), locale),
    duty: formats.centimes(snapshot.stampDutyCentimes ?? 0, locale),
    reference: snapshot.checkoutId ?? '',
    number,
    term: termInWords(snapshot.months ?? 0, locale),
  }
}
