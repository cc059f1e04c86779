// What a host that mounts the service calls of proformas. It is part of the published types, which take the
// types of these imports along and no more.

import type { PdfWish } from '../documents/calls.js'
import type { UserIdentity } from '../http/auth.js'
import type { PaymentView } from '../ledger/schemas.js'
import type { ProformaView, ProformaWish } from './proforma-schemas.js'

export interface ProformaCalls {
  /**
   * PDF of an offer whose price holds for 15 days: the same all day. Throws what a quote throws,
   * `buyer_incomplete`, `unknown_method` without transfers, `busy`, `receipts_unavailable`.
   */
  proforma(userId: string, wanted: ProformaWish): Promise<Uint8Array>
  /** Those whose price holds and that are not paid, newest first. */
  proformas(userId: string): Promise<readonly ProformaView[]>
  /** PDF, by its number. The language is that of `receipt`. */
  printProforma(userId: string, number: string, asked?: PdfWish): Promise<Uint8Array>
  /** Opens a transfer at its price; again it is the same. Throws `proforma_not_valid` after its last day. */
  orderProforma(user: UserIdentity, number: string): Promise<PaymentView>
}
