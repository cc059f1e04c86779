// What operators read of the books: the figures of a month and of a year, the journals of receipts and of
// sales, the declaration, and the files for the accountant.
import type { Static, TObject } from 'typebox'
import { CSV } from '../acts/descriptions.js'
import { list } from '../acts/list.js'
import { type CommandAnswer, reading } from '../acts/reading.js'
import { receiptNumber } from '../core/receipt.js'
import { viewAs } from '../http/view-as.js'
import { ACCOUNTS } from './accounts.js'
import { type DeclarationDeps, readDeclaration } from './declaration.js'
import { type AccountsDeps, type BookFile, EXPORT, sendBook } from './exports.js'
import { AccountsQuerySchema, JournalEntrySchema, MonthParamsSchema, MonthSchema } from './month-schemas.js'
import { type MonthsDeps, readMonthFigures } from './months.js'
import { pageOfReceipts, pageOfSales, SALES_FILE, totalOfSale, viewSale } from './sales.js'
import { DeclarationSchema, SaleSchema, SalesFileQuerySchema, SalesFilterSchema } from './sales-schemas.js'
import { readYear, YEAR } from './year.js'
import { YearParamsSchema, YearQuerySchema, YearSchema } from './year-schemas.js'

export const getMonth = reading<MonthsDeps>()({
  path: '/months/:month',
  operationId: 'getMonth',
  summary:
    'What was paid and refunded in a month, by method and by day, with tax, duty and fees; and whose ' +
    'time began and ended',
  description:
    'A payment is of the month in which it was paid, a refund of the month in which it was recorded.',
  params: MonthParamsSchema,
  answer: MonthSchema,
  command: { usage: 'months show <month>', show: flatMonth },
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

/** The query names the month, or the last of twelve months, under the name `file.of`. */
function exported(file: BookFile, summary: string, query: TObject) {
  const { name } = file
  return reading<AccountsDeps>()({
    ...EXPORT,
    ...{ path: `/exports/${name}`, summary, query, answer: CSV },
    operationId: `export${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    command: { usage: `export ${name}`, isFile: 'printed' },
    read: (deps, { query, operator, reply }) => {
      const { format = 'plain', method: kind = null, [file.of]: span } = query as FileQuery
      return sendBook(deps, file, { span, format, kind, operator, reply })
    },
  })
}

type FileQuery = Partial<Static<typeof AccountsQuerySchema>> & Readonly<Record<BookFile['of'], string>>

export const readAccounts = exported(
  ACCOUNTS,
  'The payments and refunds of a month for the accountant, with tax, duty, fees and totals, and each ' +
    'change of balances, as CSV',
  AccountsQuerySchema,
)

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

export const readSalesFile = exported(
  SALES_FILE,
  'The journal of sales of a month with its total, as CSV',
  SalesFileQuerySchema,
)

export const getDeclaration = reading<DeclarationDeps>()({
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

export const getYear = reading<MonthsDeps>()({
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

export const readYearFile = exported(YEAR, 'Twelve months as CSV, a line for each', YearQuerySchema)

/** A line of the table for each month. */
function flatYear({ months, ...year }: CommandAnswer): CommandAnswer {
  const lines = (months as readonly CommandAnswer[]).map(({ users, later: _, by_method, ...month }) => ({
    ...month,
    ...Object(users),
  }))
  return { ...year, months: lines }
}
