// What operators read of the books: the figures of a month and of a year, the journal of sales and the
// declaration.
import type { Static } from 'typebox'
import { list } from '../acts/list.js'
import { type CommandAnswer, reading } from '../acts/reading.js'
import { viewAs } from '../http/view-as.js'
import { type DeclarationDeps, DeclarationSchema, readDeclaration } from './declaration.js'
import { EXPORT } from './exports.js'
import { MonthParamsSchema, MonthSchema, YearParamsSchema } from './month-schemas.js'
import { type MonthsDeps, readMonthFigures } from './months.js'
import { pageOfSales, SaleSchema, SalesFilterSchema, viewSale } from './sales.js'
import { readYear, YearSchema } from './year.js'

/** The columns that a month's tables have in a terminal. */
const SUMS = [
  ...['paid.count', 'paid.ht', 'paid.tva', 'paid.ttc', 'paid.stamp_duty', 'paid.fees', 'paid.net'],
  ...['refunded.count', 'refunded.ttc'],
]

export const getMonth = reading<MonthsDeps>()({
  path: '/months/:month',
  operationId: 'getMonth',
  summary:
    'The payments and refunds of a month by method, rate and day, with tax, duty and fees; and its new, ' +
    'renewed and lapsed users',
  description:
    'A payment belongs to the month in which it was paid, a refund to the month in which it was recorded.',
  params: MonthParamsSchema,
  answer: MonthSchema,
  command: {
    usage: 'months show <month>',
    columns: {
      by_method: ['method', 'payment_method', ...SUMS],
      by_rate: ['tva_percent', ...SUMS],
      by_day: ['day', ...SUMS],
    },
    show: busyDays,
  },
  read: async (deps, { params }) => viewAs(MonthSchema, await readMonthFigures(deps, params.month)),
})

/** Days without a payment or a refund are left out. */
function busyDays({ by_day, ...month }: CommandAnswer): CommandAnswer {
  const days = by_day as Static<typeof MonthSchema>['by_day']
  return { ...month, by_day: days.filter(({ paid, refunded }) => paid.count + refunded.count > 0) }
}

export const saleList = list<MonthsDeps>()({
  path: '/months/:month/sales',
  operationId: 'getSales',
  summary: 'The journal of sales of a month: each receipt with its tax and buyer, and each refund below zero',
  params: MonthParamsSchema,
  filter: SalesFilterSchema,
  item: SaleSchema,
  title: 'Sales',
  command: { usage: 'sales <month>', rows: 'sales' },
  read: pageOfSales,
  view: (deps) => (line) => viewSale(line, deps.wallClock.dayAt),
})

export const getDeclaration = reading<DeclarationDeps>()({
  ...EXPORT,
  path: '/months/:month/declaration',
  operationId: 'getDeclaration',
  summary:
    'The figures of a month for its declaration of taxes: turnover by tax, credits, stamp duty, and ' +
    'advances received and used',
  description: 'They include late payments of closed months, since the month before was closed.',
  params: MonthParamsSchema,
  answer: DeclarationSchema,
  command: {
    usage: 'declaration <month>',
    columns: {
      turnover: [
        ...['tax', 'tva_percent', 'exemption', 'exempt_until'],
        ...['sales.ht', 'credits.ht', 'net.ht', 'net.tva', 'net.ttc'],
      ],
    },
  },
  read: async (deps, { params }) => viewAs(DeclarationSchema, await readDeclaration(deps, params.month)),
})

export const getYear = reading<MonthsDeps>()({
  path: '/years/:until',
  operationId: 'getYear',
  summary:
    'Twelve months side by side: money by method, users with paid time, and how many of the users who ' +
    'began in each month still have paid time later',
  params: YearParamsSchema,
  answer: YearSchema,
  command: {
    usage: 'year <until>',
    columns: {
      months: [
        ...['month', 'paid', 'refunded', 'paid_out_by_provider'],
        ...['users.at_end', 'users.new', 'users.renewed', 'users.came_back', 'users.lapsed'],
      ],
    },
  },
  read: async (deps, { params }) => viewAs(YearSchema, await readYear(deps, params.until)),
})
