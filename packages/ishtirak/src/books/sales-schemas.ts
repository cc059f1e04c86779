// The shapes of the journal of sales, and of what a month's declaration asks of it.
import { type Static, Type } from 'typebox'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { nullable, object, query, timestamp } from '../http/schemas.js'
import { type Declaration, taxKeyOf } from './declaration.js'
import type { Figures } from './figures.js'
import type { Line } from './lines.sql.js'
import { MonthNameSchema } from './month-schemas.js'
import { buyerOf, describeSale, documentOf, groundOf, SALE_KINDS, SIDES } from './sales.js'

const tax = Type.String({
  maxLength: 20,
  description: '`vat-` and the rate, `exempt`, `not_liable`, or `advance` where nothing was sold',
  examples: ['vat-19'],
})
export const SalesFilterSchema = Type.Object({
  tax: Type.Optional(tax),
  side: Type.Optional(Type.Enum([...SIDES], { description: '`credits`: what was taken back' })),
})

export const SalesFileQuerySchema = query({
  month: MonthNameSchema,
  delimiter: Type.Optional(
    Type.Enum([',', ';'], {
      description:
        '`;`: for a spreadsheet in French, with decimal commas, a byte order mark and French words',
    }),
  ),
})

const dinars = (description: string) => Type.Number({ description: `Dinars: ${description}` })
export const SaleSchema = object('Sale', {
  kind: Type.Enum([...SALE_KINDS], {
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
  name: nullable(Type.String({ description: 'As on the document; so are `nif` and `rc`' })),
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
  method: Type.String({ examples: ['chargily', 'transfer', 'cash'] }),
  payment_method: nullable(Type.String({ examples: ['edahabia', 'ccp'] })),
})
/** `dayAt`: in the billing time zone. */
export function viewSale(line: Line, dayAt: (instant: number) => string): Static<typeof SaleSchema> {
  const { at, userId, paymentId, method, instrument, tax } = line
  const buyer = buyerOf(line)
  const { ht, tva, ttc, ...rest } = describeSale(line)
  return {
    ...{ ...documentOf(line), date: dayAt(at), user_id: userId },
    name: buyer.details?.name ?? buyer.name,
    ...{ nif: buyer.details?.nif ?? null, rc: buyer.details?.rc ?? null, payment_id: paymentId, ht },
    ...{ tva_percent: tax.kind === 'vat' ? tax.ratePercent : null, tva, exemption: groundOf(tax) },
    ...{ ttc, ...rest, method, payment_method: instrument || null },
  }
}

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
    { description: 'By tax: the rates, what is exempt by its ground, what is not liable' },
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

const inDinars = ({ ht, tva, ttc }: Figures) => ({ ht: ht / 100, tva: tva / 100, ttc: ttc / 100 })
const viewTurnover = (sums: Figures) => ({ count: sums.count, ...inDinars(sums) })
const viewSides = ({ sales, credits, net }: Declaration['total']) => ({
  sales: viewTurnover(sales),
  credits: viewTurnover(credits),
  net: inDinars(net),
})

export function viewDeclaration(of: Declaration): Static<typeof DeclarationSchema> {
  const { month, from, to, live, closed, turnover, total, late, stampDuty, advances } = of
  return {
    ...{ month, from: toTimestamp(from), to: toTimestamp(to), live, currency: 'DZD' },
    closed_at: timestampOrNull(closed?.closedAt ?? null),
    turnover: turnover.map(({ tax, until, ...both }) => ({
      ...{ tax: taxKeyOf(tax), tva_percent: tax.kind === 'vat' ? tax.ratePercent : null },
      ...{ exemption: groundOf(tax), exempt_until: until },
      ...viewSides(both),
    })),
    total: viewSides(total),
    after_closing: viewTurnover(late),
    stamp_duty: stampDuty / 100,
    advances: advances && {
      ...{ before: advances.before, received: advances.received, returned: advances.returned },
      ...{ corrected: advances.corrected, used: advances.used, paid_out: advances.paidOut },
      after: advances.after,
    },
  }
}
