// What a host that mounts the service calls of receipts.
import type { Locale } from '../core/locale.js'

export interface PdfWish {
  readonly lang?: Locale
}

export interface ReceiptCalls {
  /**
   * PDF. In the language of the profile, else in Arabic, where no other is asked for. Throws
   * `payment_not_paid`, `busy`, `receipts_unavailable`.
   */
  receipt(userId: string, paymentId: string, asked?: PdfWish): Promise<Uint8Array>
}
