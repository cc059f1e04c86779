// What buying by card brings to the service.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import { accept } from './accept.js'
import { historyRoutes } from './history.route.js'
import { offerRoutes } from './offers.route.js'
import { type CheckoutPagesDeps, checkoutPages } from './portal-part.js'
import { recheck, type SettleActDeps } from './recheck.js'
import { statusRoutes } from './status.route.js'
import { checkDuePayments } from './sweep.js'
import { upgradeRoutes } from './upgrade.route.js'
import { webhookRoutes } from './webhook.route.js'
import './words.js'

/** 5 looks every 10 s are 30 calls a minute: half of what the provider allows, the rest is for users. */
const LOOKS_A_ROUND = 5

const ROUTES = [offerRoutes, upgradeRoutes, statusRoutes, historyRoutes, webhookRoutes]
type CheckoutDeps = Parameters<typeof upgradeRoutes>[0] &
  Parameters<typeof offerRoutes>[0] &
  Parameters<typeof historyRoutes>[0] &
  Parameters<typeof webhookRoutes>[0] &
  SettleActDeps &
  CheckoutPagesDeps

export const checkout: Capability<CheckoutDeps> = {
  name: 'checkout',
  acts: [recheck, accept],
  routes: (deps) => async (app) => {
    for (const routes of ROUTES) await app.register(routes(deps))
  },
  jobs: (deps) => [
    // A payment that no webhook reported is booked all the same.
    {
      name: 'check-due-payments',
      stage: 'find_out',
      everyMs: 10 * SECOND,
      run: () => checkDuePayments(deps, LOOKS_A_ROUND),
      oncePerCluster: true,
    },
  ],
  portal: checkoutPages,
}
