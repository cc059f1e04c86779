// How the API shows a payment without a card: the reference and the accounts.
import { type Static, Type } from 'typebox'
import type { ShownPayment } from '../core/payment.js'
import { formatReference } from '../core/reference.js'
import { nullable, object } from '../http/schemas.js'
import type { CommonParts } from './parts.js'

const AccountSchema = object('Account', {
  kind: Type.Enum(['ccp', 'baridimob', 'bank']),
  holder: Type.String(),
  number: Type.String({ description: 'Digits: of a CCP, or a RIP (`baridimob`) or RIB (`bank`) of 20' }),
  key: nullable(Type.String({ description: 'The two check digits of a CCP' })),
  rip: nullable(Type.String({ description: 'The CCP as BaridiMob and banks write it' })),
  bank: nullable(Type.String({ description: 'Its name' })),
  iban: nullable(Type.String({ description: 'The IBAN of a bank account' })),
})

const TransferSchema = object('Transfer', {
  reference: Type.String({
    description: 'The payer writes this on the transfer',
    examples: ['K4M9-2R8F-JW36'],
  }),
  accounts: Type.Array(AccountSchema, { description: 'Any one of them; none once it is decided' }),
  proof_url: nullable(
    Type.String({ description: 'Takes a picture or PDF of it by PUT; null once it is decided' }),
  ),
})

export const transferOrNull = nullable(TransferSchema, {
  description: 'How to pay without a card; null where the provider takes the money',
})

export interface PaymentViewDeps extends Pick<CommonParts, 'methods'> {
  readonly api: string
}

/** Null: the provider takes the money. */
export function viewTransfer(
  { id, checkoutId, method, status }: ShownPayment,
  { methods, api }: PaymentViewDeps,
): Static<typeof transferOrNull> {
  const { accounts } = methods.of(method)
  if (checkoutId === null || accounts.length === 0) return null
  const isDecided = status !== 'pending' && status !== 'expired'
  return {
    reference: formatReference(checkoutId),
    accounts: isDecided ? [] : [...accounts],
    proof_url: isDecided ? null : `${api}/payments/${id}/proof`,
  }
}
