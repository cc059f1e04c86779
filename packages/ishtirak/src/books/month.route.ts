// A month in the console: its figures, the journal of its receipts, and its lines for the accountant.

import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { addressOf, goTo, sendPage } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { isFromAnotherSite, queryOf } from '../pages/reader.js'
import { type BooksPages, exportAccounts } from './accounts.js'
import { exportAdvances } from './advances.js'
import { readJournal } from './journal.js'
import { journalPage } from './journal-page.js'
import { monthPage } from './month-page.js'
import { readMonthFigures } from './months.js'
import { sendMonth } from './readings.js'

interface Params {
  readonly month: string
}

const JOURNAL_ROWS = 50

export function monthRoutes(app: App, pages: BooksPages): void {
  const hidden = forOperators(pages)

  app.get('/console/months', hidden, async (request, reply) => {
    const figures = await readMonthFigures(pages, monthNow(pages))
    return sendPage(pages, reply, monthPage(pages, viewOf(pages, request, reply), figures))
  })

  app.get<{ Params: Params }>('/console/months/:month', hidden, async (request, reply) => {
    const figures = await readMonthFigures(pages, monthIn(pages, request.params))
    return sendPage(pages, reply, monthPage(pages, viewOf(pages, request, reply), figures))
  })

  app.get<{ Params: Params }>('/console/months/:month/receipts', hidden, async (request, reply) => {
    const month = monthIn(pages, request.params)
    const cursor = queryOf(request, 'cursor') ?? null
    const journal = await readJournal(pages, { month, cursor, limit: JOURNAL_ROWS })
    const shown = { ...journal, month, isFirst: cursor === null }
    return sendPage(pages, reply, journalPage(pages, viewOf(pages, request, reply), shown))
  })

  for (const file of ['accounts', 'advances'] as const)
    app.get<{ Params: Params }>(`/console/months/:month/${file}`, hidden, async (request, reply) => {
      const month = monthIn(pages, request.params)
      // Each export is in the audit trail: another site does not export in an operator's name.
      if (isFromAnotherSite(request)) return goTo(pages, reply, addressOf('', 'months', month))
      const format = queryOf(request, 'format') === 'excel' ? 'excel' : 'plain'
      const asked = { month, format, operator: pages.operatorsHere.of(request).operator } as const
      const pieces =
        file === 'advances'
          ? await exportAdvances(pages, asked)
          : await exportAccounts(pages, { ...asked, kind: null })
      return sendMonth(reply, { file, month, format }, pieces)
    })
}

function monthNow({ wallClock, clock }: BooksPages): string {
  return wallClock.wallTime(clock.now()).slice(0, 7)
}

/** Throws `not_found`: an address that names no month is the address of nothing. */
function monthIn({ wallClock }: BooksPages, { month }: Params): string {
  if (!wallClock.monthOf(month)) throw new BillingError('not_found')
  return month
}
