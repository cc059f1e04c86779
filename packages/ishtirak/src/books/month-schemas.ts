// The shapes of a month's figures.
import { type Static, Type } from 'typebox'
import { PUBLIC_METHODS } from '../core/payment.js'
import { nameSchemas, nullable, object, query, timestamp } from '../http/schemas.js'
import { dinars, FiguresSchema } from './figures.js'

const month = Type.String({ description: '`YYYY-MM`, in the billing time zone', examples: ['2026-11'] })
export const MonthNameSchema = month
export const MonthParamsSchema = Type.Object({ month })

export const FileFormatSchema = Type.Optional(
  Type.Enum(['plain', 'excel'], {
    description:
      '`excel`: for a spreadsheet in French, with semicolons, decimal commas, a byte order mark ' +
      'and French words',
  }),
)
export const AccountsQuerySchema = query({
  month,
  format: FileFormatSchema,
  method: Type.Optional(Type.Enum([...PUBLIC_METHODS], { description: 'Only those paid in this way' })),
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
    { description: 'Money that was added to balances' },
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
      ...PaidBy,
      count: Type.Integer(),
      amount: whole('Money that was added to balances'),
      stamp_duty: dinars('on top of it'),
      fees: dinars('what the provider kept; of a surplus they are in `paid`'),
      fees_unknown: Type.Integer(),
    }),
    { description: 'Money that came from outside, as the bank has it' },
  ),
})

export const DeclaredSchema = Type.Object(
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
  { description: 'The figures at the closing, which never change' },
)
/** In centimes where it is stored. */
export type Totals = Readonly<Static<typeof DeclaredSchema>>

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
      declared: DeclaredSchema,
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
      months: Type.Array(Type.Object({ month, paid: FiguresSchema })),
      balances: whole('What it changed of the balances at the end of the month before'),
    }),
    { description: 'Entries for closed months since the month before was closed; null: it is open' },
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
      ...PaidBy,
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
  ...PaidBy,
  ...{ ht, tva, ttc, stamp_duty },
  advance: dinars('what went to the user’s balance'),
  total: dinars('all that the receipt is for'),
  refunded_at: nullable(timestamp),
})

nameSchemas({ Balance: BalanceSchema })
