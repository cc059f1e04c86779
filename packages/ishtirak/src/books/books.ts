// The books as a capability: sales, months, closings, exports and their pages.
import type { Capability } from '../acts/capability.js'
import { DAY } from '../core/instant.js'
import { readAccounts } from './accounts.js'
import { bookRoutes } from './books.route.js'
import { type ClosingDeps, checkClosedMonths, closeMonth, MONTH_DIFFERS, reopenMonth } from './closing.js'
import type { DeclarationDeps } from './declaration.js'
import type { AccountsDeps } from './exports.js'
import { getDeclaration, getMonth, getYear, saleList } from './readings.js'
import { readSalesFile } from './sales.js'

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
