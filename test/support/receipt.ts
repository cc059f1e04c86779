// A payment booked on 21 November 2026 in Algiers, and its documents.
import type { BuyerDetails } from '../../packages/ishtirak/src/core/buyer-details.js'
import type { Payment } from '../../packages/ishtirak/src/core/payment.js'
import {
  type Buyer,
  type DocumentKind,
  type DocumentSnapshot,
  drawUpReceipt,
  type NamedDocument,
  type Seller,
  type Tax,
} from '../../packages/ishtirak/src/core/receipt.js'
import { dayIn } from '../../packages/ishtirak/src/runtime/calendar.js'
import { EXAMPLE_SELLER } from '../../packages/ishtirak/src/runtime/seller.js'
import { aPayment } from './fixtures.js'

const PAID_AT = Date.parse('2026-11-21T14:32:10Z')

const algiers = dayIn('Africa/Algiers')
export const dayInAlgiers = (instant: number) => algiers(instant).date

export const PAID = aPayment({
  ...{ id: 'pay_01k9abcdefghjkmnpqrstvwxyz', userId: 'usr_48151623', live: true, status: 'paid' },
  ...{ checkoutId: '01k9zzcdefghjkmnpqrstvwxyz', checkoutUrl: null, instrument: 'edahabia' },
  ...{ createdAt: PAID_AT - 60_000, expiresAt: PAID_AT + 1_740_000, attemptEndsAt: PAID_AT - 50_000 },
  ...{ paidAt: PAID_AT, periodStart: PAID_AT, periodEnd: Date.parse('2026-12-21T14:32:10Z') },
  nextCheckAt: null,
}) as Extract<Payment, { kind: 'purchase' | 'change' }>

/** From a plan at 1000 a month to Pro, for what was left of a month: 2000 less 500. */
export const A_CHANGE = {
  kind: 'change',
  months: null,
  price: { amount: 1500, currency: 'DZD' },
  change: {
    from: { ...PAID.plan, id: 'basic', name: 'Basic', price: 1000 },
    credit: 500,
    parts: [{ sourceId: 'pay_1', amount: 1500, lastChange: null }],
  },
} satisfies Partial<Payment>

export const BUYER: Buyer = { userId: 'usr_48151623', name: 'Yasmine Benali', email: 'yasmine@exemple.dz' }

export function snapshotWith(
  changes: {
    readonly payment?: Partial<Payment>
    readonly buyer?: Partial<Buyer>
    readonly tax?: Tax
    readonly seller?: Partial<Seller['identity']>
    readonly issuedAt?: number
    readonly bearsStampDuty?: boolean
  } = {},
): DocumentSnapshot {
  const taxTerms: Seller['taxTerms'] = changes.tax
    ? [{ from: '2020-01-01', tax: changes.tax }]
    : EXAMPLE_SELLER.taxTerms
  return drawUpReceipt({ ...PAID, ...changes.payment } as Payment, {
    seller: { ...EXAMPLE_SELLER, identity: { ...EXAMPLE_SELLER.identity, ...changes.seller }, taxTerms },
    buyer: { ...BUYER, ...changes.buyer },
    issuedAt: changes.issuedAt ?? PAID_AT + 1_000,
    bearsStampDuty: changes.bearsStampDuty ?? false,
    dayOf: dayInAlgiers,
  })
}

export const COMPANY: BuyerDetails = {
  kind: 'company',
  name: 'Numidia Logiciels',
  address: 'Zone d’activités El Hidhab, lot 42, 19000 Sétif',
  rc: '19/00-0123456 B 20',
  nif: '002019012345678',
  nis: '002019010123457',
  ai: '19010123458',
  legal_form: 'SARL',
  capital: '1 000 000,00 DA',
  phone: '+213 36 11 22 33',
  email: 'compta@numidia.example',
}

export function documentWith(
  kind: Exclude<DocumentKind, 'receipt'>,
  changes: Parameters<typeof snapshotWith>[0] & {
    readonly details?: Partial<BuyerDetails>
    readonly about?: NamedDocument
    readonly poNumber?: string
  } = {},
): DocumentSnapshot {
  const { details, about, poNumber, payment, ...others } = changes
  const byTransfer = { instrument: 'bank_transfer', checkoutId: 'K4M92R8FJW36' }
  const snapshot = snapshotWith({ ...others, payment: { ...byTransfer, ...payment } })
  return {
    ...snapshot,
    kind,
    buyer: { ...snapshot.buyer, details: { ...COMPANY, ...details } },
    ...(about && { about }),
    ...(poNumber !== undefined && { poNumber }),
    ...(kind === 'proforma' && {
      ...{ validUntil: '2026-12-06', periodFrom: null, periodTo: null, paymentMethod: null },
    }),
  }
}
