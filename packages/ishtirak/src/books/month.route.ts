// A month in the console: its figures, the journal of its receipts, and its lines for the accountant.
import { isUndone } from '../acts/act-console.js'
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { addressOf, sendPage } from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { queryOf } from '../pages/reader.js'
import { type BooksPages, exportAccounts } from './accounts.js'
import { pageOfReceipts } from './journal.js'
import { journalPage } from './journal-page.js'
import { monthPage } from './month-page.js'
import { readMonthFigures } from './months.js'
import { sendMonth } from './readings.js'

export interface MonthRoute {
  readonly month: string
}

const JOURNAL_ROWS = 40

export function monthRoutes(app: App, pages: BooksPages): void {
  const hidden = forOperators(pages)
  const thisSite = fromThisSite(pages, (of: MonthRoute) => addressOf('', 'months', monthIn(pages, of)))

  app.get('/console/months', hidden, async (request, reply) => {
    const figures = await readMonthFigures(pages, monthNow(pages))
    return sendPage(pages, reply, monthPage(pages, viewOf(pages, request, reply), figures))
  })

  app.get<{ Params: MonthRoute }>('/console/months/:month', hidden, async (request, reply) => {
    const figures = await readMonthFigures(pages, monthIn(pages, request.params))
    return sendPage(pages, reply, monthPage(pages, viewOf(pages, request, reply), figures, isUndone(request)))
  })

  app.get<{ Params: MonthRoute }>('/console/months/:month/receipts', hidden, async (request, reply) => {
    const month = monthIn(pages, request.params)
    const cursor = queryOf(request, 'cursor') ?? null
    const read = await pageOfReceipts(pages, { month }, { cursor, limit: JOURNAL_ROWS })
    const shown = { ...read, month, from: startOf(pages, month), isFirst: cursor === null }
    return sendPage(pages, reply, journalPage(pages, viewOf(pages, request, reply), shown))
  })

  app.get<{ Params: MonthRoute }>('/console/months/:month/accounts', thisSite, async (request, reply) => {
    const month = monthIn(pages, request.params)
    const format = queryOf(request, 'format') === 'excel' ? 'excel' : 'plain'
    const { operator } = pages.operatorsHere.of(request)
    const pieces = await exportAccounts(pages, { month, format, operator, kind: null })
    return sendMonth(reply, { file: 'accounts', month, format }, pieces)
  })
}

function monthNow({ wallClock, clock }: BooksPages): string {
  return wallClock.monthAt(clock.now())
}

/** Throws `not_found` if the address is not a month. */
export function monthIn(pages: BooksPages, { month }: MonthRoute): string {
  startOf(pages, month)
  return month
}

export function startOf({ wallClock }: BooksPages, month: string): number {
  const span = wallClock.monthOf(month)
  if (!span) throw new BillingError('not_found')
  return span.from
}
