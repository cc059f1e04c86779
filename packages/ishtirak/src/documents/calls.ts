// What a host that mounts the service calls of documents.
import type { Locale } from '../core/locale.js'

export interface PdfWish {
  readonly lang?: Locale
}

export interface DocumentsWish extends PdfWish {
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
  documents(userId: string, asked: DocumentsWish): Promise<Uint8Array>
  /**
   * The invoice of a payment: it is issued where there is none. Throws `payment_not_paid`,
   * `already_refunded`, `buyer_incomplete`, and `conflict` for money that sold nothing yet.
   */
  invoice(userId: string, paymentId: string): Promise<Document>
  /** What was issued for a payment, in order. */
  documentsOf(userId: string, paymentId: string): Promise<readonly Document[]>
  /** PDF, by its number. The language is that of `receipt`. Throws what `receipt` throws. */
  document(userId: string, paymentId: string, number: string, asked?: PdfWish): Promise<Uint8Array>
}

interface Document {
  readonly kind: 'receipt' | 'invoice' | 'credit_note'
  /** `F-2026-000042` */
  readonly number: string
  /** `YYYY-MM-DD` */
  readonly issued_on: string
  /** The number of the document that it replaces, or takes back. */
  readonly about: string | null
  /** Of the buyer's own order. */
  readonly po_number: string | null
}
