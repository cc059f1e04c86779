// The shapes of a year's figures, and its lines as CSV.
import { type Static, Type } from 'typebox'
import { type CsvCell, type CsvForm, csvLine } from '../acts/csv.js'
import { object, query } from '../http/schemas.js'
import { sumPaid } from './figures.js'
import type { YearFigures } from './year.js'

const until = Type.String({
  description: '`YYYY`, or the last of twelve months as `YYYY-MM`, in the billing time zone',
  examples: ['2026'],
})
export const YearParamsSchema = Type.Object({ until })
export const YearQuerySchema = query({ until })

const count = (description: string) => Type.Integer({ description })
const dinars = (description: string) => Type.Number({ description: `Dinars: ${description}` })

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
    description: 'Of the new ones, how many have paid time when this month ends, and each month after it',
  }),
})

export const YearSchema = object('Year', {
  live: Type.Boolean({ description: 'False: play money, where the shop takes no other' }),
  currency: Type.Literal('DZD'),
  months: Type.Array(YearMonthSchema, { description: 'Those that have begun, twelve at most' }),
})

export function viewYear({ live, months, cohorts }: YearFigures): Static<typeof YearSchema> {
  return {
    ...{ live, currency: 'DZD' },
    months: months.map(({ month, paid, refunded, byKind, paidOut, users }, n) => ({
      ...{ month, paid: sumPaid(paid) / 100, refunded: refunded.ttc / 100 },
      by_method: byKind.map((one) => ({ method: one.kind, paid: sumPaid(one.paid) / 100 })),
      paid_out_by_provider: paidOut / 100,
      users: {
        ...{ at_end: users.atEnd, new: users.new, renewed: users.renewed },
        ...{ came_back: users.cameBack, lapsed: users.lapsed },
      },
      later: [...(cohorts[n]?.users ?? [])],
    })),
  }
}

/** A line for each month; behind `later_0` those who began in it, month after month. */
export async function* yearAsCsv(figures: YearFigures, form: CsvForm): AsyncIterable<string> {
  const lines = viewYear(figures).months.map(({ by_method, users, later, ...month }) => ({
    ...month,
    ...Object.fromEntries(by_method.map(({ method, paid }) => [`paid_${method}`, paid])),
    ...Object.fromEntries(Object.entries(users).map(([name, value]) => [`users_${name}`, value])),
    ...Object.fromEntries(figures.months.map((_, n) => [`later_${n}`, later[n] ?? null])),
  }))
  const [head = {}] = lines
  yield form.mark + csvLine(Object.keys(head), form)
  for (const line of lines) yield csvLine(Object.values<CsvCell>(line), form)
}
