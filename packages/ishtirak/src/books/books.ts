// What the books bring to the service.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import type { AccountsDeps } from './accounts.js'
import { countReceipts } from './figures.sql.js'
import { monthRoutes } from './month.route.js'
import { getJournal, getMonth, readAccounts, readAdvances } from './readings.js'
import './words.js'

/** Of each series: 500 a second. */
const COUNTED_A_ROUND = 5_000

export const books: Capability<AccountsDeps> = {
  name: 'books',
  readings: [getMonth, getJournal, readAccounts, readAdvances],
  commandGroups: { export: 'Export for the accountant' },
  console: monthRoutes,
  sections: [{ key: 'month', path: '/console/months', order: 2 }],
  jobs: ({ database, wallClock }) => [
    // The figures of a month are added up as its receipts come.
    {
      name: 'count-receipts',
      stage: 'announce',
      everyMs: 10 * SECOND,
      run: () => countReceipts(database, COUNTED_A_ROUND, wallClock.timeZone),
    },
  ],
}
