// What operators read of the books: the figures of a month and of a year, the journals of receipts and of
// sales, the declaration, and the files for the accountant.
import { CSV } from '../acts/descriptions.js'
import { list } from '../acts/list.js'
import { type CommandAnswer, reading } from '../acts/reading.js'
import { receiptNumber } from '../core/receipt.js'
import { viewAs } from '../http/view-as.js'
import { ACCOUNTS } from './accounts.js'
import { type DeclarationDeps, readDeclaration } from './declaration.js'
import { type AccountsDeps, EXPORT, sendBook } from './exports.js'
import { pageOfReceipts } from './journal.js'
import { AccountsQuerySchema, JournalEntrySchema, MonthParamsSchema, MonthSchema } from './month-schemas.js'
import { type MonthsDeps, readMonthFigures } from './months.js'
import { pageOfSales, SALES_FILE, totalOfSale, viewSale } from './sales.js'
import { DeclarationSchema, SaleSchema, SalesFileQuerySchema, SalesFilterSchema } from './sales-schemas.js'
import { readYear, YEAR } from './year.js'
import { YearParamsSchema, YearQuerySchema, YearSchema } from './year-schemas.js'

export const getMonth = reading<MonthsDeps>().reads({
  path: '/months/:month',
  operationId: 'getMonth',
  summary:
    'What was paid and refunded in a month, by method and by day, with tax, duty and fees; and whose ' +
    'time began and ended',
  description:
    'A payment is of the month in which it was paid, a refund of the month in which it was recorded.',
  params: MonthParamsSchema,
  answer: MonthSchema,
  command: { usage: 'months <month>', show: flatMonth },
  read: async (deps, { params }) => viewAs(MonthSchema, await readMonthFigures(deps, params.month)),
})

export const receiptList = list<MonthsDeps>()({
  path: '/months/:month/receipts',
  operationId: 'getJournal',
  summary: 'The receipts of a month in the order they were paid, as in the file for the accountant',
  params: MonthParamsSchema,
  item: JournalEntrySchema,
  title: 'Journal',
  command: { usage: 'journal <month>', rows: 'receipts' },
  read: pageOfReceipts,
  view: () => (line) =>
    viewAs(JournalEntrySchema, {
      ...line,
      receipt: receiptNumber(line.series, line.number),
      total: totalOfSale(line),
    }),
})

export const readAccounts = reading<AccountsDeps>().reads({
  ...EXPORT,
  path: '/exports/accounts',
  operationId: 'exportAccounts',
  summary:
    'The payments and refunds of a month for the accountant, with tax, duty, fees and totals, and each ' +
    'change of balances, as CSV',
  query: AccountsQuerySchema,
  answer: CSV,
  command: { usage: 'export accounts', isFile: true },
  read: (deps, { query: { month: span, format = 'plain', method: kind = null }, operator, reply }) =>
    sendBook(deps, ACCOUNTS, { span, format, kind, operator, reply }),
})

/** A line of the tables has what was paid and refunded; days without either are left out. */
function flatMonth({ by_method, by_rate, by_day, ...month }: CommandAnswer): CommandAnswer {
  type Line = Readonly<Record<'paid' | 'refunded', CommandAnswer>> & CommandAnswer
  const lines = (list: unknown) =>
    (list as readonly Line[])
      .map(({ paid, refunded, ...named }) => ({
        ...named,
        ...paid,
        refunds: refunded.count,
        refunded: refunded.ttc,
      }))
      .filter(({ count, refunds }: CommandAnswer) => count !== 0 || refunds !== 0)
  return { ...month, by_method: lines(by_method), by_rate: lines(by_rate), by_day: lines(by_day) }
}

export const saleList = list<MonthsDeps>()({
  permission: EXPORT,
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

export const readSalesFile = reading<AccountsDeps>().reads({
  ...EXPORT,
  path: '/exports/sales',
  operationId: 'exportSales',
  summary: 'The journal of sales of a month with its total, as CSV',
  query: SalesFileQuerySchema,
  answer: CSV,
  command: { usage: 'export sales', isFile: true },
  read: (deps, { query: { month: span, delimiter }, operator, reply }) => {
    const format = delimiter === ';' ? 'excel' : 'plain'
    return sendBook(deps, SALES_FILE, { span, format, kind: null, operator, reply })
  },
})

export const getDeclaration = reading<DeclarationDeps>().reads({
  ...EXPORT,
  path: '/months/:month/declaration',
  operationId: 'getDeclaration',
  summary:
    'What a month’s declaration of taxes asks of the sales: turnover by tax, what was taken back, stamp ' +
    'duty, and money received in advance and used',
  description: 'The figures are those of the month, with what came for closed months since the last closing.',
  params: MonthParamsSchema,
  answer: DeclarationSchema,
  command: { usage: 'declaration <month>', show: flatDeclaration },
  read: async (deps, { params }) => viewAs(DeclarationSchema, await readDeclaration(deps, params.month)),
})

/** A line of the table has what is left of the sales, and what was sold and taken back. */
function flatDeclaration({ turnover, ...month }: CommandAnswer): CommandAnswer {
  const lines = (turnover as readonly CommandAnswer[]).map(({ sales, credits, net, ...of }) => ({
    ...of,
    ...Object(net),
    sales_ht: Object(sales).ht,
    credits_ht: Object(credits).ht,
  }))
  return { ...month, turnover: lines }
}

export const getYear = reading<MonthsDeps>().reads({
  path: '/years/:until',
  operationId: 'getYear',
  summary:
    'Twelve months side by side: money by method; users with paid time, new, renewed, lapsed and come ' +
    'back; and what became of those who began in each',
  params: YearParamsSchema,
  answer: YearSchema,
  command: { usage: 'year <until>', show: flatYear },
  read: async (deps, { params }) => viewAs(YearSchema, await readYear(deps, params.until)),
})

export const readYearFile = reading<AccountsDeps>().reads({
  ...EXPORT,
  path: '/exports/year',
  operationId: 'exportYear',
  summary: 'Twelve months as CSV, a line for each',
  query: YearQuerySchema,
  answer: CSV,
  command: { usage: 'export year', isFile: true },
  read: (deps, { query: { until: span }, operator, reply }) =>
    sendBook(deps, YEAR, { span, format: 'plain', kind: null, operator, reply }),
})

/** A line of the table for each month. */
function flatYear({ months, ...year }: CommandAnswer): CommandAnswer {
  const lines = (months as readonly CommandAnswer[]).map(({ users, later: _, by_method, ...month }) => ({
    ...month,
    ...Object(users),
  }))
  return { ...year, months: lines }
}
