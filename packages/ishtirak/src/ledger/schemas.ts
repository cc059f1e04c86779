// The schemas of the API, with fields in the order in which they are written, and the views that fill them.
// They validate, serialise and describe in the OpenAPI document. The plan, the result of an upgrade and the
// billing status keep exactly their members and their order: platforms rely on both.
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { StandingSchema } from '../acts/preview.js'
import { PAYMENT_PURPOSES } from '../core/checkout.js'
import { printCode, readCode } from '../core/code.js'
import { describePayment } from '../core/event.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { LimitDefinition } from '../core/limit.js'
import { isPayable, PUBLIC_METHODS, PUBLIC_PAYMENT_STATUSES, type ShownPayment } from '../core/payment.js'
import { type Offer, savingOf } from '../core/plan.js'
import { PO_NUMBER_MAX, PO_NUMBER_PATTERN } from '../core/po-number.js'
import { type Quote, STARTS } from '../core/quote.js'
import type { Subscription } from '../core/subscription.js'
import type { Row } from '../database/database.js'
import { instant } from '../database/rows.js'
import { nameSchemas, nullable, object, query, request, timestamp } from '../http/schemas.js'
import { type PaymentViewDeps, transferOrNull, viewTransfer } from './transfer-view.js'

/** The path prefix of the billing API. */
export const BILLING_API = '/api/v1/billing'

const paymentStatus = Type.Enum([...PUBLIC_PAYMENT_STATUSES])
const plan = Type.String({ examples: ['pro'] })
const currency = Type.String({ examples: ['DZD'] })

export const userPageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Opaque, from `next_cursor`' }),
  ),
}

export const userPageOf = <Item extends TSchema>(item: Item) => ({
  data: Type.Array(item, { description: 'Newest first' }),
  has_more: Type.Boolean(),
  next_cursor: nullable(Type.String()),
})

export function planLimitsSchema(limits: readonly LimitDefinition[]) {
  const numbers = limits.map(({ name, unit }) => {
    const description = unit === null || unit === 'megabytes' ? unit : unit.en
    return [name, Type.Integer(description === null ? {} : { description })] as const
  })
  return Type.Object(Object.fromEntries(numbers), { title: 'PlanLimits' })
}

export function planSchema(limits: readonly LimitDefinition[]) {
  return Type.Object(
    {
      id: Type.String({ examples: ['pro'] }),
      name: Type.String({ examples: ['Pro'] }),
      price: Type.Integer({
        description: 'Whole units of `currency` for one calendar month',
        examples: [2000],
      }),
      currency,
      limits: planLimitsSchema(limits),
    },
    { title: 'Plan' },
  )
}

export const UpgradeRequestSchema = request('UpgradeRequest', {
  plan: Type.String({ description: 'The plan to buy a month of', examples: ['pro'] }),
})

export const UpgradeResultSchema = object('UpgradeResult', {
  checkout_url: Type.String({ description: 'The hosted page to send the user to' }),
  payment_id: Type.String({ examples: ['pay_01jd7k3v9m4w8x2z5c6b7n8q9r'] }),
})

export const OfferSchema = object('Offer', {
  plan,
  months: Type.Integer({ description: 'The term: 1 to 36 months', examples: [12] }),
  price: Type.Integer({ description: 'Whole units of `currency` for the whole term', examples: [20_000] }),
  currency,
  saves: Type.Integer({ description: 'The saving against as many single months', examples: [4_000] }),
})

const codeSchema = Type.String({
  maxLength: 100,
  description: 'A code, in either case, with or without hyphens and spaces',
  examples: ['7K2M-9QXA-D3VF-0T8R'],
})

export const term = {
  plan: Type.String({ description: 'The plan to buy', examples: ['pro'] }),
  months: Type.Optional(
    Type.Integer({ description: 'The term, 1 if absent; not with `start: now`', examples: [12] }),
  ),
  start: Type.Optional(
    Type.Enum([...STARTS], {
      description:
        '`end`, which it is if absent: more time; `now`: a dearer plan for the time that is paid, for ' +
        'the difference',
    }),
  ),
}

const purchase = { ...term, code: Type.Optional(codeSchema) }

export const QuoteQuerySchema = query(purchase)

export const QuoteSchema = object('Quote', {
  kind: Type.Enum(['purchase', 'change'], {
    description: '`change`: another plan for the time that is paid',
  }),
  plan,
  months: nullable(Type.Integer({ description: 'Null for a change', examples: [1] })),
  price: Type.Integer({
    description: 'The price of the offer, or of the new plan for the time left; whole units of `currency`',
    examples: [2_000],
  }),
  credit: Type.Integer({
    description: 'The worth of the time that changes; 0 for a purchase',
    examples: [0],
  }),
  discount: Type.Integer({ description: 'The discount', examples: [200] }),
  amount: Type.Integer({ description: 'The amount to pay; 0: redeem the code', examples: [1_800] }),
  currency,
  would_start: timestamp,
  would_end: timestamp,
  code: nullable(
    Type.String({ description: 'The code that gives the discount', examples: ['7K2M-9QXA-D3VF-0T8R'] }),
  ),
})

export const poNumberSchema = Type.String({
  maxLength: PO_NUMBER_MAX,
  pattern: PO_NUMBER_PATTERN,
  description: 'The number of the buyer’s own order: it stands on the documents',
  examples: ['BC-2026/118'],
})

export const returnUrlSchema = Type.String({
  maxLength: 2_000,
  description:
    'Where the page after paying leads, with `payment_id` and `status` added: an address of ' +
    '`PLATFORM_URL` or `RETURN_ORIGINS`. A repetition keeps the first one',
  examples: ['https://app.example/billing/done'],
})

export const methodSchema = Type.Optional(
  Type.String({ description: 'How to pay, as a payment names it; `card` if absent', examples: ['card'] }),
)

export const PaymentRequestSchema = request('PaymentRequest', {
  ...purchase,
  return_url: Type.Optional(returnUrlSchema),
  po_number: Type.Optional(poNumberSchema),
  method: methodSchema,
})

export const RedeemRequestSchema = request('RedeemRequest', {
  code: codeSchema,
  plan: Type.Optional(
    Type.String({ description: 'The plan, for a code that leaves nothing to pay', examples: ['pro'] }),
  ),
  months: Type.Optional(Type.Integer({ description: 'The term of that plan, 1 if absent', examples: [12] })),
})

const redeemed = { plan, months: Type.Integer({ description: 'The months that the code gave' }) }

export const RedeemedSchema = object('Redeemed', {
  ...redeemed,
  current_period_end: timestamp,
})

export const RedemptionSchema = object('Redemption', {
  id: Type.String({ examples: ['red_01jd7k3v9m4w8x2z5c6b7n8q9r'] }),
  ...redeemed,
  redeemed_at: timestamp,
  period_start: timestamp,
  period_end: timestamp,
})

export const RedemptionsSchema = object('Redemptions', { data: Type.Array(RedemptionSchema) })

export const UserIdSchema = Type.String({ minLength: 1, maxLength: 255 })

export const BillingStatusSchema = object('BillingStatus', {
  ...StandingSchema.properties,
  payment_method: nullable(
    Type.String({ description: 'The instrument of the last payment', examples: ['edahabia', 'cib'] }),
  ),
})

export const PaymentSchema = object('Payment', {
  id: Type.String(),
  bought_by: nullable(
    Type.String({ description: 'The person who ordered it for the account; null where none is named' }),
  ),
  kind: Type.Enum([...PAYMENT_PURPOSES], {
    description: '`change`: another plan for time that runs; `top_up`: money for the balance',
  }),
  plan: nullable(Type.String({ description: 'Null for a top-up' })),
  months: nullable(
    Type.Integer({ description: 'How many months of the plan it buys; null for all but purchases' }),
  ),
  amount: Type.Integer({ description: 'Whole dinars; once it is paid, what came' }),
  amount_asked: nullable(
    Type.Integer({ description: 'The amount asked for, if another was paid and accepted; else null' }),
  ),
  currency: Type.String(),
  status: paymentStatus,
  method: Type.Enum([...PUBLIC_METHODS], { description: 'How it is paid' }),
  payment_method: nullable(
    Type.String({
      description: 'The kind of card or account, such as `edahabia` or `ccp`, once it is known',
    }),
  ),
  checkout_url: nullable(
    Type.String({ description: 'Only while it can be paid; null where there is no page' }),
  ),
  transfer: transferOrNull,
  created_at: timestamp,
  expires_at: timestamp,
  paid_at: nullable(timestamp),
  period_start: nullable(timestamp),
  period_end: nullable(timestamp),
  receipt_url: nullable(Type.String({ description: 'Once paid' })),
})

export const metadataSchema = Type.Record(
  Type.String({ pattern: '^[^\\p{Cc}\\p{Cs}]{1,40}$' }),
  Type.String({ maxLength: 500, pattern: '^[^\\u0000\\p{Cs}]*$' }),
  {
    maxProperties: 20,
    additionalProperties: false,
    description:
      'The platform’s notes at the payment: at most 20 names of 40 characters, each with a text of at ' +
      'most 500. The user never sees it. A repetition keeps the first one',
    examples: [{ order: 'A-1042' }],
  },
)

/** The metadata that the platform and operators see. */
export const shownMetadata = Type.Record(Type.String(), Type.String(), {
  description: 'The platform’s notes at the payment',
  examples: [{ order: 'A-1042' }],
})

export const PlatformPaymentSchema = object('PlatformPayment', {
  ...PaymentSchema.properties,
  metadata: shownMetadata,
})

export const PlatformPaymentRequestSchema = request('PlatformPaymentRequest', {
  ...PaymentRequestSchema.properties,
  metadata: Type.Optional(metadataSchema),
})

export const PaymentsQuerySchema = query({ ...userPageQuery, status: Type.Optional(paymentStatus) })

export const PaymentPageSchema = object('PaymentPage', userPageOf(PaymentSchema))
export const PlatformPaymentPageSchema = object('PlatformPaymentPage', userPageOf(PlatformPaymentSchema))

export const WebhookAnswerSchema = object('WebhookAnswer', {
  received: Type.Literal(true),
  duplicate: Type.Optional(Type.Literal(true)),
})

nameSchemas({ PaymentStatus: paymentStatus })

export type PlanView = Static<ReturnType<typeof planSchema>>
export type UpgradeResult = Static<typeof UpgradeResultSchema>
export type OfferView = Static<typeof OfferSchema>
export type QuoteQuery = Static<typeof QuoteQuerySchema>
export type QuoteView = Static<typeof QuoteSchema>
export type PaymentRequest = Static<typeof PlatformPaymentRequestSchema>
export type RedeemRequest = Static<typeof RedeemRequestSchema>
export type RedeemedView = Static<typeof RedeemedSchema>
export type RedemptionsView = Static<typeof RedemptionsSchema>
export type BillingStatus = Static<typeof BillingStatusSchema>
export type PaymentView = Static<typeof PlatformPaymentSchema>
export type PaymentsQuery = Static<typeof PaymentsQuerySchema>
export type PaymentPage = Static<typeof PlatformPaymentPageSchema>

export function viewOffer(offer: Offer): OfferView {
  const { plan, months, price } = offer
  const saves = savingOf(offer)
  return { plan: plan.id, months, price: price.amount, currency: price.currency, saves }
}

/** `code` is the code as it was typed. */
export function viewQuote(
  { offer, change, discount, amount, period }: Quote,
  code: string | undefined,
): QuoteView {
  const read = code === undefined ? null : readCode(code)
  return {
    kind: change ? 'change' : 'purchase',
    plan: offer.plan.id,
    months: change ? null : offer.months,
    price: offer.price.amount,
    credit: change?.credit ?? 0,
    discount,
    amount,
    currency: offer.price.currency,
    would_start: toTimestamp(period.start),
    would_end: toTimestamp(period.end),
    code: read && printCode(read),
  }
}

export function viewStatus(subscription: Subscription): BillingStatus {
  return {
    plan: subscription.plan.id,
    status: subscription.status,
    current_period_end: timestampOrNull(subscription.currentPeriodEnd),
    payment_method: subscription.instrument,
  }
}

const NO_METADATA = {}

/** `Object.assign`, because a second spread costs 4 µs and 4 kB here, and a page has 20 payments. */
export function viewPayment(payment: ShownPayment, now: Instant, deps: PaymentViewDeps): PaymentView {
  const hasReceipt = payment.status === 'paid' || payment.status === 'refunded'
  return Object.assign(describePayment(payment, now), {
    metadata: payment.metadata ?? NO_METADATA,
    checkout_url: isPayable(payment, now) ? payment.checkoutUrl : null,
    transfer: viewTransfer(payment, deps),
    created_at: toTimestamp(payment.createdAt),
    expires_at: toTimestamp(payment.expiresAt),
    receipt_url: hasReceipt ? `${deps.api}/payments/${payment.id}/receipt` : null,
  })
}

/**
 * Views of rows whose columns have the names of the schema's members, for data that is only shown. Instants
 * come from the database as numbers and become timestamps as the schema says. Throws if a row does not fit.
 */
export function viewRows<Schema extends TObject>(schema: Schema, rows: readonly Row[]): Static<Schema>[] {
  const members = Object.entries(schema.properties)
  const viewed = (member: TSchema, value: unknown) =>
    typeof value === 'number' && !Value.Check(member, value) ? toTimestamp(value) : value
  return rows.map((row) => {
    const view = Object.fromEntries(members.map(([name, member]) => [name, viewed(member, row[name])]))
    if (Value.Check(schema, view)) return view
    throw new TypeError(`a row does not fit its schema: ${JSON.stringify(Value.Errors(schema, view)[0])}`)
  })
}

/** The views, each with the exact instant of a column for cursors: a timestamp has no milliseconds. */
export function viewRowsAt<Schema extends TObject>(schema: Schema, rows: readonly Row[], column: string) {
  return viewRows(schema, rows).map((view, index) => ({ ...view, at: instant(rows[index] ?? {}, column) }))
}
