// The shapes of a year's figures.
import { Type } from 'typebox'
import { object, query } from '../http/schemas.js'
import { dinars } from './figures.js'
import { FileFormatSchema } from './month-schemas.js'

const until = Type.String({
  description: '`YYYY`, or the last of twelve months as `YYYY-MM`, in the billing time zone',
  examples: ['2026'],
})
export const YearParamsSchema = Type.Object({ until })
export const YearQuerySchema = query({ until, format: FileFormatSchema })

const count = (description: string) => Type.Integer({ description })

const YearMonthSchema = object('YearMonth', {
  month: Type.String({ examples: ['2026-11'] }),
  paid: dinars('tax and duty included'),
  refunded: dinars('refunds that were recorded in the month'),
  by_method: Type.Array(
    Type.Object({ method: Type.String({ examples: ['card', 'transfer', 'cash'] }), paid: dinars('of it') }),
  ),
  paid_out_by_provider: dinars('payouts on bank statements, by their day'),
  users: Type.Object({
    at_end: count('With paid time when the month ends, as is known now'),
    new: count('Of them, those for whom it is the first month'),
    renewed: count('Of them, those who had paid time when the month before ended'),
    came_back: count('Of them, those who had none then, and earlier had some'),
    lapsed: count('Who had paid time when the month before ended, and none when this one does'),
  }),
  later: Type.Array(Type.Integer(), {
    description:
      'How many of the new users have paid time at the end of this month and of each month after it',
  }),
})

export const YearSchema = object('Year', {
  live: Type.Boolean({ description: 'False: play money, where the shop takes no other' }),
  currency: Type.Literal('DZD'),
  months: Type.Array(YearMonthSchema, { description: 'Those that have begun, twelve at most' }),
})
