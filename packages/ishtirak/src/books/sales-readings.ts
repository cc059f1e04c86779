// What operators read for the accountant: the journal of sales, also as a file, and the figures of the
// month's declaration.
import type { CommandAnswer } from '../acts/act.js'
import { CSV } from '../acts/descriptions.js'
import { reading } from '../acts/reading.js'
import { type AccountsDeps, EXPORT } from './accounts.js'
import { type DeclarationDeps, readDeclaration } from './declaration.js'
import { MonthParamsSchema } from './month-schemas.js'
import type { MonthsDeps } from './months.js'
import { sendMonth } from './readings.js'
import { exportSales, readSales } from './sales.js'
import {
  DeclarationSchema,
  SalesFileQuerySchema,
  SalesQuerySchema,
  SalesSchema,
  viewDeclaration,
  viewSale,
} from './sales-schemas.js'

const SALES_ROWS = 50

export const getSales = reading<MonthsDeps>().reads({
  ...EXPORT,
  path: '/months/:month/sales',
  operationId: 'getSales',
  summary: 'The journal of sales of a month: each receipt with its tax and buyer, and each refund below zero',
  params: MonthParamsSchema,
  query: SalesQuerySchema,
  refuses: ['invalid_cursor'],
  answer: SalesSchema,
  command: { usage: 'sales <month>', show: ({ data, ...rest }) => ({ sales: data, ...rest }) },
  read: async (deps, { params: { month }, query: { cursor = null, limit = SALES_ROWS, tax, side } }) => {
    const filter = { tax: tax ?? null, side: side ?? null }
    const { lines, nextCursor } = await readSales(deps, { month, filter, cursor, limit })
    return { data: lines.map((line) => viewSale(line, deps.wallClock.dayAt)), next_cursor: nextCursor }
  },
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
