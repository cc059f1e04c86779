// The books in the console: the pages of a month and of a year, the journal and the declaration.
import type { FastifyRequest } from 'fastify'
import { isUndone } from '../acts/act-console.js'
import { listRoute } from '../acts/list-page.js'
import type { Permission } from '../core/role.js'
import { requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import type { View } from '../pages/console-frame.js'
import { consoleRoute } from '../pages/console-view.js'
import { readDeclaration } from './declaration.js'
import { declarationPage } from './declaration-page.js'
import { type BooksPages, EXPORT } from './exports.js'
import { monthPage } from './month-page.js'
import { readMonthFigures } from './months.js'
import { salesPage } from './sales-page.js'
import { readYear } from './year.js'
import { yearPage } from './year-page.js'

export function bookRoutes(app: App, pages: BooksPages & { readonly acts: readonly Permission[] }): void {
  const now = () => pages.wallClock.monthAt(pages.clock.now())
  /** `span` is a month `YYYY-MM`, or a year `YYYY`; this month if the address has none. */
  const page = (path: string, show: (span: string, view: View, request: FastifyRequest) => Promise<string>) =>
    consoleRoute<string, { readonly span?: string }>(
      app,
      pages,
      `/console/${path}`,
      ({ view, request, params }) => show(params.span ?? now(), view, request),
    )

  for (const path of ['months', 'months/:span'])
    page(path, async (month, view, request) =>
      monthPage(pages, view, await readMonthFigures(pages, month), isUndone(request)),
    )
  for (const path of ['year', 'year/:span'])
    page(path, async (until, view) => yearPage(pages, view, await readYear(pages, until)))
  page('months/:span/declaration', async (month, view) => {
    requireRole(view.session.operator, EXPORT)
    return declarationPage(pages, view, await readDeclaration(pages, month))
  })
  listRoute(app, pages, salesPage)
}
