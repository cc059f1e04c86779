// The accountant's month in the console: the journal of sales, its file, and the declaration.
import { requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { addressOf, sendPage } from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { queryOf } from '../pages/reader.js'
import { type BooksPages, EXPORT } from './accounts.js'
import { readDeclaration } from './declaration.js'
import { declarationPage } from './declaration-page.js'
import { type MonthRoute, monthIn, startOf } from './month.route.js'
import { sendMonth } from './readings.js'
import { exportSales, pageOfSales, SIDES } from './sales.js'
import { salesPage } from './sales-page.js'

const SALES_ROWS = 40

export function salesRoutes(app: App, pages: BooksPages): void {
  const hidden = forOperators(pages)
  const thisSite = fromThisSite(pages, (of: MonthRoute) => addressOf('', 'months', monthIn(pages, of)))

  app.get<{ Params: MonthRoute }>('/console/months/:month/sales', hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    requireRole(view.session.operator, EXPORT)
    const month = monthIn(pages, request.params)
    const cursor = queryOf(request, 'cursor') ?? null
    const [tax, side] = [queryOf(request, 'tax'), SIDES.find((one) => one === queryOf(request, 'side'))]
    const filter = { ...(tax !== undefined && { tax }), ...(side && { side }) }
    const read = await pageOfSales(pages, { month, ...filter }, { cursor, limit: SALES_ROWS })
    const shown = { ...read, month, from: startOf(pages, month), filter, cursor }
    return sendPage(pages, reply, salesPage(pages, view, shown))
  })

  app.get<{ Params: MonthRoute }>('/console/months/:month/sales/file', thisSite, async (request, reply) => {
    const month = monthIn(pages, request.params)
    const { operator } = pages.operatorsHere.of(request)
    const pieces = await exportSales(pages, { month, format: 'excel', operator })
    return sendMonth(reply, { file: 'sales', month, format: 'excel' }, pieces)
  })

  app.get<{ Params: MonthRoute }>('/console/months/:month/declaration', hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    requireRole(view.session.operator, EXPORT)
    const declaration = await readDeclaration(pages, monthIn(pages, request.params))
    return sendPage(pages, reply, declarationPage(pages, view, declaration))
  })
}
