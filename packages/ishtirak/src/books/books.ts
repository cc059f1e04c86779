// What the books bring to the service.
import type { Capability } from '../acts/capability.js'
import { HOUR, SECOND } from '../core/instant.js'
import type { AccountsDeps } from './accounts.js'
import { type ClosingDeps, closeMonth, reopenMonth } from './closing.js'
import type { DeclarationDeps } from './declaration.js'
import { countReceipts } from './figures.sql.js'
import { monthRoutes } from './month.route.js'
import { markChanged } from './paid-months.sql.js'
import { getJournal, getMonth, readAccounts } from './readings.js'
import { salesRoutes } from './sales.route.js'
import { getDeclaration, getSales, readSalesFile } from './sales-readings.js'
import './words.js'
import { keepLastLapses } from './year.js'
import { yearRoutes } from './year.route.js'
import { getYear, readYearFile } from './year-readings.js'

/** Of each series: 500 a second. */
const COUNTED_A_ROUND = 5_000

export const books: Capability<AccountsDeps & ClosingDeps & DeclarationDeps> = {
  name: 'books',
  acts: [closeMonth, reopenMonth],
  readings: [
    ...[getMonth, getJournal, readAccounts, getYear, readYearFile],
    ...[getSales, readSalesFile, getDeclaration],
  ],
  commandGroups: { export: 'Export for the accountant', month: 'Close a month' },
  console: (app, pages) => {
    monthRoutes(app, pages)
    salesRoutes(app, pages)
    yearRoutes(app, pages)
  },
  sections: [
    { key: 'month', path: '/console/months', order: 2 },
    { key: 'year', path: '/console/year', order: 2, startsFor: 'owner' },
  ],
  jobs: (deps) => [
    // The figures of a month are added up as its receipts come.
    {
      name: 'count-receipts',
      stage: 'announce',
      everyMs: 10 * SECOND,
      run: () => countReceipts(deps.database, COUNTED_A_ROUND, deps.wallClock.timeZone),
    },
    // So are the months at whose end users had paid time, which refunds, ends and grants change too.
    {
      name: 'count-users',
      stage: 'announce',
      everyMs: 10 * SECOND,
      run: () => markChanged(deps.database, deps.clock.now(), deps.wallClock.timeZone),
      oncePerCluster: true,
    },
    {
      name: 'count-lapses',
      stage: 'tidy',
      everyMs: HOUR,
      run: () => keepLastLapses(deps),
      oncePerCluster: true,
    },
  ],
}
