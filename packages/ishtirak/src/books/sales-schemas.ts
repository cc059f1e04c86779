// The shapes of the journal of sales, and of what a month's declaration asks of it.
import { type Static, Type } from 'typebox'
import { nullable, object, query, timestamp } from '../http/schemas.js'
import { dinars } from './figures.js'
import { FileFormatSchema, MonthNameSchema, PaidBy } from './month-schemas.js'

const tax = Type.String({
  maxLength: 20,
  description: '`vat-` and the rate, `exempt`, `not_liable`, or `advance` where nothing was sold',
  examples: ['vat-19'],
})
export const SalesFilterSchema = Type.Object({
  tax: Type.Optional(tax),
  side: Type.Optional(Type.Enum(['sales', 'credits'], { description: '`credits`: what was taken back' })),
})
/** Absent: all. */
export type SalesFilter = Static<typeof SalesFilterSchema>

export const SalesFileQuerySchema = query({ month: MonthNameSchema, format: FileFormatSchema })

export const SaleSchema = object('Sale', {
  kind: Type.Enum(['receipt', 'invoice', 'credit_note', 'refund'], {
    description:
      'The first document of a payment counts, and its refund below zero: a `credit_note`, or a `refund` ' +
      'where there was no invoice. A document that only replaces another has sums of 0',
  }),
  number: nullable(Type.String({ examples: ['2026-000042'] }), {
    description: 'Null: a refund without a credit note has none',
  }),
  about: nullable(Type.String(), {
    description: 'The number of the document that it takes back or replaces',
  }),
  date: Type.String({
    description: 'The day of the payment, or of the recording of the refund',
    examples: ['2026-11-21'],
  }),
  user_id: Type.String(),
  name: nullable(Type.String({ description: 'The name on the document, like `nif` and `rc`' })),
  nif: nullable(Type.String()),
  rc: nullable(Type.String()),
  payment_id: Type.String(),
  ht: dinars('without tax'),
  tva_percent: nullable(Type.Integer()),
  tva: dinars('the tax'),
  exemption: nullable(Type.String({ description: 'Why there is no tax, as the receipt says it in French' })),
  stamp_duty: dinars('on top of `ttc`; 0 of refunds'),
  ttc: dinars('with tax'),
  advance: dinars('what went to the user’s balance, untaxed'),
  total: dinars('all that the document is for'),
  ...PaidBy,
})
export type SaleKind = Static<typeof SaleSchema>['kind']

const ht = dinars('without tax')
const tva = dinars('the tax')
const ttc = dinars('with tax')
const TurnoverSchema = object('Turnover', {
  count: Type.Integer({ description: 'Documents' }),
  ...{ ht, tva, ttc },
})
const NetSchema = object('NetTurnover', { ht, tva, ttc })
const sides = { sales: TurnoverSchema, credits: TurnoverSchema, net: NetSchema }
const whole = (description: string) => Type.Integer({ description: `Whole dinars: ${description}` })

export const DeclarationSchema = object('Declaration', {
  month: MonthNameSchema,
  from: timestamp,
  to: timestamp,
  live: Type.Boolean({ description: 'False: play money, where the shop takes no other' }),
  currency: Type.Literal('DZD'),
  closed_at: nullable(timestamp, { description: 'Null: the month is open, and its figures may change' }),
  turnover: Type.Array(
    Type.Object({
      tax,
      tva_percent: nullable(Type.Integer()),
      exemption: nullable(Type.String({ description: 'Why there is no tax, as receipts say it in French' })),
      exempt_until: nullable(
        Type.String({ description: 'The last day of this term of `tax`, where it is set' }),
      ),
      ...sides,
    }),
    { description: 'Sums by tax: each rate, each ground of exemption, not liable' },
  ),
  total: Type.Object(sides),
  after_closing: TurnoverSchema,
  stamp_duty: dinars('of all receipts, those of money paid in as well'),
  advances: nullable(
    Type.Object({
      before: whole('on balances when the month began'),
      received: whole('paid in'),
      returned: whole('refunded to balances'),
      corrected: whole('given by operators, less what they took'),
      used: whole('what balances bought, with tax; it is in `turnover` too'),
      paid_out: whole('paid back to users'),
      after: whole('on balances at the end'),
    }),
    { description: 'Null: nothing was on a balance' },
  ),
})
