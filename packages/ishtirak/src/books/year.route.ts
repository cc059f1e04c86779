// Twelve months in the console, and the same as a file.

import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { addressOf, sendPage } from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { queryOf } from '../pages/reader.js'
import type { BooksPages } from './accounts.js'
import { readYear } from './year.js'
import { yearPage } from './year-page.js'
import { sendYear } from './year-readings.js'

interface Params {
  readonly until: string
}

export function yearRoutes(app: App, pages: BooksPages): void {
  const hidden = forOperators(pages)
  const thisSite = fromThisSite(pages, (of: Params) => addressOf('', 'year', knownUntil(pages, of.until)))
  for (const path of ['/console/year', '/console/year/:until'])
    app.get<{ Params: Partial<Params> }>(path, hidden, async (request, reply) => {
      const { until = pages.wallClock.monthAt(pages.clock.now()) } = request.params
      const [figures, waiting] = await Promise.all([
        readYear(pages, knownUntil(pages, until)),
        // All pages are one object, whatever each reads of it.
        pages.sections.find(({ waiting }) => waiting)?.waiting?.(pages as never) ?? null,
      ])
      return sendPage(pages, reply, yearPage(pages, viewOf(pages, request, reply), figures, waiting))
    })

  app.get<{ Params: Params }>('/console/year/:until/table', thisSite, async (request, reply) => {
    const until = knownUntil(pages, request.params.until)
    const format = queryOf(request, 'format') === 'excel' ? 'excel' : 'plain'
    const { operator } = pages.operatorsHere.of(request)
    return sendYear(pages, { until, format, operator, reply })
  })
}

/** Throws `not_found`: an address that names no month is the address of nothing. */
function knownUntil({ wallClock }: BooksPages, until: string): string {
  if (!wallClock.monthOf(/^\d{4}$/.test(until) ? `${until}-12` : until)) throw new BillingError('not_found')
  return until
}
