// What operators read for the accountant: the journal of sales, also as a file, and the figures of the
// month's declaration.

import { CSV } from '../acts/descriptions.js'
import { list } from '../acts/list.js'
import { type CommandAnswer, reading } from '../acts/reading.js'
import { type AccountsDeps, EXPORT } from './accounts.js'
import { type DeclarationDeps, readDeclaration } from './declaration.js'
import { MonthParamsSchema } from './month-schemas.js'
import type { MonthsDeps } from './months.js'
import { sendMonth } from './readings.js'
import { exportSales, pageOfSales } from './sales.js'
import {
  DeclarationSchema,
  SaleSchema,
  SalesFileQuerySchema,
  SalesFilterSchema,
  viewDeclaration,
  viewSale,
} from './sales-schemas.js'

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
  read: async (deps, { query: { month, delimiter }, operator, reply }) => {
    const format = delimiter === ';' ? 'excel' : 'plain'
    return sendMonth(
      reply,
      { file: 'sales', month, format },
      await exportSales(deps, { month, format, operator }),
    )
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
  read: async (deps, { params }) => viewDeclaration(await readDeclaration(deps, params.month)),
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
