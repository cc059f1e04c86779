// What a host that mounts the service calls of receipts.
import type { Locale } from '../core/locale.js'

export interface PdfWish {
  readonly lang?: Locale
}

export interface PapersWish extends PdfWish {
  /** In which they were issued. */
  readonly year: number
}

export interface ReceiptCalls {
  /**
   * PDF. In the language of the profile, else in Arabic, where no other is asked for. Throws
   * `payment_not_paid`, `busy`, `receipts_unavailable`.
   */
  receipt(userId: string, paymentId: string, asked?: PdfWish): Promise<Uint8Array>
  /**
   * The receipts of a year as a table in UTF-8. The language is that of `receipt`. Throws `not_found` where
   * there is none.
   */
  papers(userId: string, asked: PapersWish): Promise<Uint8Array>
  /**
   * The facture of a payment: it is issued where there is none. Throws `payment_not_paid`,
   * `already_refunded`, `buyer_incomplete`, and `conflict` for money that sold nothing yet.
   */
  facture(userId: string, paymentId: string): Promise<Paper>
  /** What was issued for a payment, in order. */
  papersOf(userId: string, paymentId: string): Promise<readonly Paper[]>
  /** PDF, by its number. The language is that of `receipt`. Throws what `receipt` throws. */
  paper(userId: string, paymentId: string, number: string, asked?: PdfWish): Promise<Uint8Array>
}

interface Paper {
  readonly kind: 'receipt' | 'facture' | 'avoir'
  /** `F-2026-000042` */
  readonly number: string
  /** `YYYY-MM-DD` */
  readonly issued_on: string
  /** The number of the paper that it replaces, or takes back. */
  readonly about: string | null
  /** Of the buyer's own order. */
  readonly po_number: string | null
}
