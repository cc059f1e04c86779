// The shapes of a month's figures.
import { type Static, Type } from 'typebox'
import { nameSchemas, nullable, object, query, timestamp } from '../http/schemas.js'
import { dinars, FiguresSchema, whole } from './figures.js'

/** No database has a year 0, and nothing was sold before 1970. */
const YEAR = String.raw`(19[7-9]\d|[2-9]\d{3})`
const MONTH = '(0[1-9]|1[0-2])'

export const MonthNameSchema = Type.String({
  pattern: `^${YEAR}-${MONTH}$`,
  description: '`YYYY-MM`, in the billing time zone',
  examples: ['2026-11'],
})
export const MonthParamsSchema = Type.Object({ month: MonthNameSchema })

export const BookFileQuerySchema = query({
  month: MonthNameSchema,
  format: Type.Optional(
    Type.Enum(['plain', 'excel'], {
      description:
        '`excel`: for a spreadsheet in French, with semicolons, decimal commas, a byte order mark ' +
        'and French words',
    }),
  ),
})

export const YearParamsSchema = Type.Object({
  until: Type.String({
    pattern: `^${YEAR}(-${MONTH})?$`,
    description: '`YYYY`, or the last of twelve months as `YYYY-MM`, in the billing time zone',
    examples: ['2026'],
  }),
})

export const PaidBy = {
  method: Type.String({ examples: ['chargily', 'transfer', 'cash'] }),
  payment_method: nullable(Type.String({ examples: ['edahabia', 'ccp'] })),
}
const { ht, tva, ttc, stamp_duty, total, fees, net } = FiguresSchema.properties
const BalanceSchema = Type.Object(
  { ht, tva, ttc, stamp_duty, total, fees, net },
  { description: 'The payments less the refunds' },
)
const both = { paid: FiguresSchema, refunded: FiguresSchema }

export const OwedSchema = object('OwedToUsers', {
  owed_before: whole('Whole dinars on all balances when the month began'),
  came_in: Type.Object(
    {
      top_ups: whole('Paid in'),
      surplus: whole('What plan changes did not use of their payments'),
      returned: whole('Payments that were refunded to the balance'),
      corrected: whole('Given by operators'),
      total: whole('All of it'),
    },
    { description: 'Money that was added to balances' },
  ),
  earned: whole('What balances bought, with tax: those payments are in `paid` too, as `balance`'),
  corrected: whole('Taken off by operators'),
  paid_out: whole('Paid back to users by hand'),
  owed: whole('On all balances at the end: `owed_before` and what came in, less what left'),
  unbooked: whole('Users with a renewal of this month that the job has not booked yet; usually 0'),
})

export const DeclaredSchema = Type.Object(
  {
    sold: whole('Payments'),
    ...{ ht, tva, ttc, stamp_duty },
    refunded_ht: dinars('given back, without tax'),
    refunded_tva: dinars('the tax in it'),
    refunded_ttc: dinars('given back'),
    late_tva: dinars('the tax of late payments of closed months'),
    late_ttc: dinars('late payments of closed months'),
    received: dinars('money received from outside'),
    owed: dinars('the money on balances at the end'),
  },
  { description: 'The figures at the closing, which never change' },
)
/** In centimes where it is stored. */
export type Totals = Readonly<Static<typeof DeclaredSchema>>

export const MonthSchema = object('Month', {
  month: MonthNameSchema,
  from: timestamp,
  to: timestamp,
  live: Type.Boolean({ description: 'False: the shop is in test mode, and no money moved' }),
  currency: Type.Literal('DZD'),
  closed: nullable(
    Type.Object({
      sequence: whole('Counts the closings of the month'),
      at: timestamp,
      by: Type.String(),
      declared: DeclaredSchema,
      differs: Type.Array(Type.String({ examples: ['ttc'] }), {
        description: 'The declared totals that the documents no longer add up to',
      }),
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
      stamp_duty: dinars('the stamp duty in it, that of top-ups too: the duty to declare'),
      advances: dinars(
        'the part that went to balances: top-ups with their duty, and what plan changes did not use',
      ),
      used: dinars('purchases from balances: `total` less `advances` plus `used` is `paid.total`'),
      by_method: Type.Array(
        Type.Object({
          ...PaidBy,
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
      months: Type.Array(Type.Object({ month: MonthNameSchema, paid: FiguresSchema })),
      balances: whole('How much they change the balances at the end of the month before'),
    }),
    {
      description:
        'Late entries for closed months, since the month before was closed; null: that month is open',
    },
  ),
  paid_out_by_provider: Type.Object({
    count: whole('Payouts of the month on bank statements, by their day'),
    amount: dinars('what they add up to'),
    came: dinars('payments and top-ups by card, less the provider’s fees'),
    difference: dinars('`amount` less `came`; a payout may come in the month after its payments'),
  }),
  owed_to_users: nullable(OwedSchema),
  users: Type.Object({
    new: whole('Payments that were their user’s first'),
    renewed: whole('All other payments'),
    lapsed: whole('Users whose time ended in the month and was not continued since'),
    ends_in_7_days: whole('Users whose time ends in the 7 days from now'),
  }),
  by_method: Type.Array(Type.Object({ ...PaidBy, ...both })),
  by_rate: Type.Array(
    Type.Object({
      tva_percent: nullable(whole('Null: without tax')),
      ...both,
    }),
  ),
  by_day: Type.Array(Type.Object({ day: Type.String({ examples: ['2026-11-21'] }), ...both }), {
    description: 'Every day of the month',
  }),
})

nameSchemas({ Balance: BalanceSchema })
