// The shapes of a month's figures.
import { type Static, Type } from 'typebox'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { PAYMENT_KINDS } from '../core/payment.js'
import { receiptNumber } from '../core/receipt.js'
import { nameSchemas, nullable, object, query, timestamp } from '../http/schemas.js'
import { balanceOf, describeFigures, NO_FIGURES, type Totals } from './figures.js'
import type { Line } from './lines.sql.js'
import type { MonthFigures } from './months.js'
import type { Owed } from './owed.js'
import { describeSale } from './sales.js'
import { differing } from './totals.js'

const month = Type.String({ description: '`YYYY-MM`, in the billing time zone', examples: ['2026-11'] })
export const MonthNameSchema = month
export const MonthParamsSchema = Type.Object({ month })

const format = Type.Optional(
  Type.Enum(['plain', 'excel'], {
    description:
      '`excel`: for a spreadsheet in French, with semicolons, decimal commas, a byte order mark ' +
      'and French words',
  }),
)
export const AccountsQuerySchema = query({
  month,
  format,
  method: Type.Optional(Type.Enum([...PAYMENT_KINDS], { description: 'Only those paid in this way' })),
})

const dinars = (description: string) => Type.Number({ description: `Dinars: ${description}` })
const FiguresSchema = object('Figures', {
  count: Type.Integer({ description: 'Payments, or refunds' }),
  ht: dinars('without tax'),
  tva: dinars('the tax'),
  ttc: dinars('with tax, after discounts'),
  asked: dinars('what was asked for, where an operator accepted another amount; else `ttc`'),
  discount: dinars('what codes took off, tax included'),
  stamp_duty: dinars('on top of `ttc`; 0 of refunds, which give back the price alone'),
  total: dinars('`ttc` and the duty'),
  fees: dinars('what the provider kept'),
  fees_unknown: Type.Integer({
    description: 'Payments whose fees the provider did not say; counted as none',
  }),
  net: dinars('`total` without the fees'),
})
const { ht, tva, ttc, stamp_duty, total, fees, net } = FiguresSchema.properties
const BalanceSchema = Type.Object(
  { ht, tva, ttc, stamp_duty, total, fees, net },
  { description: 'The payments less the refunds' },
)
const both = { paid: FiguresSchema, refunded: FiguresSchema }

const whole = (description: string) => Type.Integer({ description })
const OwedSchema = object('OwedToUsers', {
  owed_before: whole('Whole dinars on all balances when the month began'),
  came_in: Type.Object(
    {
      top_ups: whole('Paid in'),
      surplus: whole('Of changes of plan: what found nothing to buy'),
      returned: whole('Payments that were refunded to the balance'),
      corrected: whole('Given by operators'),
      total: whole('All of it'),
    },
    { description: 'What came to balances' },
  ),
  earned: whole('What balances bought, with tax: those payments are in `paid` too, as `balance`'),
  corrected: whole('Taken off by operators'),
  paid_out: whole('Paid back to users by hand'),
  owed: whole('On all balances at the end: `owed_before` and what came in, less what was earned and went'),
  late: Type.Object(
    { count: Type.Integer(), amount: Type.Integer() },
    { description: 'Entries of this month that were written down after it, and what they add up to' },
  ),
  unbooked: Type.Integer({
    description:
      'Users whose renewals of this month are still to be written down; 0 but where a job stood still',
  }),
  by_method: Type.Array(
    Type.Object({
      kind: Type.String({ examples: ['top_up', 'surplus'] }),
      method: Type.String({ examples: ['chargily', 'transfer', 'cash'] }),
      payment_method: nullable(Type.String({ examples: ['edahabia', 'ccp'] })),
      count: Type.Integer(),
      amount: whole('What came to balances'),
      stamp_duty: dinars('on top of it'),
      fees: dinars('what the provider kept; of a surplus they are in `paid`'),
      fees_unknown: Type.Integer(),
    }),
    { description: 'Money that came from outside, as the bank has it' },
  ),
})

export const MonthSchema = object('Month', {
  month,
  from: timestamp,
  to: timestamp,
  live: Type.Boolean({ description: 'False: play money, where the shop takes no other' }),
  currency: Type.Literal('DZD'),
  closed: nullable(
    Type.Object({
      sequence: Type.Integer({ description: 'Counts the closings of the month' }),
      at: timestamp,
      by: Type.String(),
      declared: Type.Object(
        {
          sold: Type.Integer({ description: 'Payments' }),
          ...{ ht, tva, ttc, stamp_duty },
          refunded_ht: dinars('given back, without tax'),
          refunded_tva: dinars('the tax in it'),
          refunded_ttc: dinars('given back'),
          late_tva: dinars('the tax in what came for closed months'),
          late_ttc: dinars('what came for closed months'),
          received: dinars('what came from outside'),
          owed: dinars('what was on balances at the end'),
        },
        { description: 'As it was closed: it never changes' },
      ),
      differs: Type.Array(Type.String({ examples: ['ttc'] }), {
        description: 'Which of these the documents add up to otherwise now; empty: none',
      }),
      came_since: FiguresSchema,
    }),
    {
      description:
        'Sums of a closed month are those of the documents that it was closed with; `users` and ' +
        '`paid_out_by_provider` are as of now. Null: it is open',
    },
  ),
  received: Type.Object(
    {
      total: dinars('all of it, before fees and refunds'),
      stamp_duty: dinars('what of it is stamp duty, also on top-ups: the duty that is declared'),
      advances: dinars(
        'what of it went to balances: top-ups with their duty, and what is left of a change of plan',
      ),
      used: dinars('what balances bought: `total` less `advances` and with this is `paid.total`'),
      by_method: Type.Array(
        Type.Object({
          method: Type.String({ examples: ['chargily', 'transfer', 'cash'] }),
          payment_method: nullable(Type.String({ examples: ['edahabia', 'ccp'] })),
          count: Type.Integer(),
          amount: dinars('with the stamp duty'),
          fees: dinars('what the provider kept'),
        }),
      ),
    },
    { description: 'Money that came from outside, as the bank shows it' },
  ),
  ...both,
  balance: BalanceSchema,
  after_closing: nullable(
    Type.Object({
      months: Type.Array(Type.Object({ month, paid: FiguresSchema })),
      balances: whole('What it changed of the balances at the end of the month before'),
    }),
    { description: 'What came for closed months since the month before was closed; null: it is open' },
  ),
  paid_out_by_provider: Type.Object({
    count: Type.Integer({ description: 'Payouts of the month on bank statements, by their day' }),
    amount: dinars('what they add up to'),
    came: dinars('paid by card, for plans and on balances, without the provider’s fees'),
    difference: dinars('`amount` less `came`; a payout may come in the month after its payments'),
  }),
  owed_to_users: nullable(OwedSchema),
  users: Type.Object({
    new: Type.Integer({ description: 'Payments that were their user’s first' }),
    renewed: Type.Integer({ description: 'All other payments' }),
    lapsed: Type.Integer({ description: 'Users whose time ended in the month and was not continued since' }),
    ends_in_7_days: Type.Integer({ description: 'Users whose time ends in the 7 days from now' }),
  }),
  by_method: Type.Array(
    Type.Object({
      method: Type.String({ examples: ['chargily', 'transfer', 'cash'] }),
      payment_method: nullable(Type.String({ examples: ['edahabia', 'ccp'] })),
      ...both,
    }),
  ),
  by_rate: Type.Array(
    Type.Object({
      tva_percent: nullable(Type.Integer({ description: 'Null: without tax' })),
      ...both,
    }),
  ),
  by_day: Type.Array(Type.Object({ day: Type.String({ examples: ['2026-11-21'] }), ...both }), {
    description: 'Every day of the month',
  }),
})

export const JournalEntrySchema = object('JournalEntry', {
  receipt: Type.String({ examples: ['2026-000042'] }),
  payment_id: Type.String(),
  user_id: Type.String(),
  paid_at: timestamp,
  plan: nullable(Type.String({ description: 'Null for a top-up, as the months are' })),
  months: nullable(Type.Integer()),
  method: Type.String({ examples: ['chargily', 'transfer', 'cash'] }),
  payment_method: nullable(Type.String({ examples: ['edahabia', 'ccp'] })),
  ...{ ht, tva, ttc, stamp_duty },
  advance: dinars('what went to the user’s balance'),
  total: dinars('all that the receipt is for'),
  refunded_at: nullable(timestamp),
})

nameSchemas({ Balance: BalanceSchema })

export function viewJournalEntry(entry: Line): Static<typeof JournalEntrySchema> {
  return {
    receipt: receiptNumber(entry.series, entry.number),
    payment_id: entry.paymentId,
    user_id: entry.userId,
    paid_at: toTimestamp(entry.paidAt),
    plan: entry.planId,
    months: entry.months,
    method: entry.method,
    payment_method: entry.instrument || null,
    ...describeSale(entry),
    refunded_at: timestampOrNull(entry.refundedAt),
  }
}

function viewOwed(of: Owed): Static<typeof OwedSchema> {
  const { topUps, ...cameIn } = of.cameIn
  return {
    owed_before: of.before,
    came_in: { top_ups: topUps, ...cameIn },
    ...{ earned: of.earned, corrected: of.corrected, paid_out: of.paidOut, owed: of.owed },
    ...{ late: of.late, unbooked: of.unbooked },
    by_method: of.byMethod.map(({ kind, method, instrument, count, amount, ...one }) => ({
      ...{ kind, method, payment_method: instrument || null, count, amount },
      ...{ stamp_duty: one.stampDuty / 100, fees: one.fees / 100, fees_unknown: one.feesUnknown },
    })),
  }
}

function viewReceived({ total, stampDuty, advances, used, byMethod }: MonthFigures['received']) {
  return {
    ...{ total: total / 100, stamp_duty: stampDuty / 100, advances: advances / 100, used: used / 100 },
    by_method: byMethod.map(({ method, instrument, count, amount, fees }) => ({
      ...{ method, payment_method: instrument || null, count, amount: amount / 100, fees: fees / 100 },
    })),
  }
}

function viewTotals({ sold, ...centimes }: Totals) {
  const of = (name: keyof typeof centimes) => centimes[name] / 100
  return {
    ...{ sold, ht: of('ht'), tva: of('tva'), ttc: of('ttc'), stamp_duty: of('stamp_duty') },
    ...{ refunded_ht: of('refunded_ht'), refunded_tva: of('refunded_tva'), refunded_ttc: of('refunded_ttc') },
    ...{ late_tva: of('late_tva'), late_ttc: of('late_ttc'), received: of('received'), owed: of('owed') },
  }
}

export function viewMonth(figures: MonthFigures): Static<typeof MonthSchema> {
  const { month, from, to, live, owed, paid, refunded, users, byDay, byMethod, byRate } = figures
  const { closed, since, afterClosing, paidOut, received } = figures
  const described = (one: Pick<MonthFigures, 'paid' | 'refunded'>) => ({
    paid: describeFigures(one.paid),
    refunded: describeFigures(one.refunded),
  })
  return {
    ...{ month, from: toTimestamp(from), to: toTimestamp(to), live, currency: 'DZD' },
    closed: closed && {
      ...{ sequence: closed.sequence, at: toTimestamp(closed.closedAt), by: closed.closedBy },
      declared: viewTotals(closed.totals),
      differs: [...differing(figures, closed.totals)],
      came_since: describeFigures(since ?? NO_FIGURES),
    },
    ...described(figures),
    balance: balanceOf(paid, refunded),
    after_closing: afterClosing && {
      months: afterClosing.months.map((one) => ({ month: one.month, paid: describeFigures(one) })),
      balances: afterClosing.balances,
    },
    paid_out_by_provider: {
      count: paidOut.count,
      amount: paidOut.amount / 100,
      came: paidOut.came / 100,
      difference: (paidOut.amount - paidOut.came) / 100,
    },
    owed_to_users: owed && viewOwed(owed),
    received: viewReceived(received),
    users: {
      new: users.new,
      renewed: users.renewed,
      lapsed: users.lapsed,
      ends_in_7_days: users.ending,
    },
    by_method: byMethod.map(({ method, instrument, ...one }) => ({
      ...{ method, payment_method: instrument || null },
      ...described(one),
    })),
    by_rate: byRate.map(({ taxRate, ...one }) => ({ tva_percent: taxRate, ...described(one) })),
    by_day: byDay.map(({ day, ...one }) => ({ day, ...described(one) })),
  }
}
