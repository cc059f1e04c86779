// The overview as a capability: readings and pages across all capabilities.
import type { Capability } from '../acts/capability.js'
import { listRoute } from '../acts/list-page.js'
import { MINUTE } from '../core/instant.js'
import type { ConsoleDeps } from './all-pages.js'
import { healthReading } from './health.js'
import { healthRoute } from './health.route.js'
import { inboxReadings } from './inbox.js'
import { inboxRoute } from './inbox.route.js'
import { mailOperators, type OperatorMailDeps } from './operator-mail.js'
import { operatorsRoutes } from './operators.route.js'
import { paymentList, paymentsPage, platformPaymentList } from './payment-list.js'
import { searchReading } from './search.js'
import { searchRoute } from './search.route.js'
import { type OverviewConfig, overviewSettings } from './settings.js'
import { timelineList } from './timeline.js'
import { trailList, trailPageOfConsole } from './trail.js'
import { platformUserList, userList, usersPage } from './user-list.js'
import { paymentFile, userFile } from './views.js'

export const overview: Capability<OperatorMailDeps & ConsoleDeps, OverviewConfig> = {
  name: 'overview',
  settings: overviewSettings,
  sections: [
    { key: 'inbox', path: '/console', order: 1 },
    { key: 'users', path: '/console/users', order: 1.1 },
    { key: 'payments', path: '/console/payments', order: 1.2 },
    { key: 'health', path: '/console/health', order: 3 },
    { key: 'operators', path: '/console/operators', order: 4 },
    { key: 'trailPage', path: '/console/trail', order: 5 },
  ],
  readings: [
    ...[healthReading, searchReading, ...userList.readings, ...paymentList.readings],
    ...[paymentFile, userFile, ...timelineList.readings, ...trailList.readings],
  ],
  platformReadings: [...platformUserList.readings, ...platformPaymentList.readings],
  inboxReadings,
  console: (app, pages) => {
    inboxRoute(app, pages)
    healthRoute(app, pages)
    searchRoute(app, pages)
    listRoute(app, pages, usersPage)
    listRoute(app, pages, paymentsPage)
    listRoute(app, pages, trailPageOfConsole)
    operatorsRoutes(app, pages)
  },
  jobs: (deps) => [
    {
      name: 'mail-operators',
      stage: 'announce',
      everyMs: MINUTE,
      run: () => mailOperators(deps),
      oncePerCluster: true,
    },
  ],
}
