// The books as a capability: sales, months, closings, exports and their pages.
import type { FastifyRequest } from 'fastify'
import { isUndone } from '../acts/act-console.js'
import type { Capability } from '../acts/capability.js'
import { listRoute } from '../acts/list-page.js'
import { DAY } from '../core/instant.js'
import { type Permission, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import type { View } from '../pages/console-frame.js'
import { consoleRoute } from '../pages/console-view.js'
import { readAccounts } from './accounts.js'
import { type ClosingDeps, checkClosedMonths, closeMonth, MONTH_DIFFERS, reopenMonth } from './closing.js'
import { type DeclarationDeps, getDeclaration, readDeclaration } from './declaration.js'
import { declarationPage } from './declaration-page.js'
import { type AccountsDeps, type BooksPages, EXPORT } from './exports.js'
import { monthPage } from './month-page.js'
import { getMonth, readMonthFigures } from './months.js'
import { readSalesFile, saleList } from './sales.js'
import { salesPage } from './sales-page.js'
import { getYear, readYear } from './year.js'
import { yearPage } from './year-page.js'

export const books: Capability<AccountsDeps & ClosingDeps & DeclarationDeps> = {
  name: 'books',
  acts: [closeMonth, reopenMonth],
  readings: [getMonth, getYear, ...saleList.readings, getDeclaration, readAccounts, readSalesFile],
  helpHeading: 'Money:',
  commandGroups: { export: 'Export for the accountant', months: 'See a month, and close it' },
  inbox: MONTH_DIFFERS,
  jobs: (deps) => [
    {
      name: 'check-closed-months',
      stage: 'find_out',
      everyMs: DAY,
      run: () => checkClosedMonths(deps),
      oncePerCluster: true,
    },
  ],
  console: bookRoutes,
  sections: [
    { key: 'month', path: '/console/months', order: 2 },
    { key: 'year', path: '/console/year', order: 2 },
  ],
}

function bookRoutes(app: App, pages: BooksPages & { readonly acts: readonly Permission[] }): void {
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
