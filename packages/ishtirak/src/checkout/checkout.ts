// Buying by card as a capability: calls, pages, webhooks, acts, and the job that asks the provider.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import { accept } from './accept.js'
import { payment, payments, setMetadata } from './history.call.js'
import { offerRoutes } from './offers.route.js'
import { type CheckoutPagesDeps, checkoutPages } from './portal-part.js'
import { recheck, type SettleActDeps } from './recheck.js'
import { status } from './status.call.js'
import { checkDuePayments } from './sweep.js'
import { createPayment, quote, upgradePlan } from './upgrade.call.js'
import { webhookRoutes } from './webhook.route.js'

/** 5 lookups every 10 s are 30 calls a minute, half of what the provider allows. The rest is for users. */
const LOOKUPS_A_ROUND = 5

type CheckoutDeps = Parameters<typeof createPayment.run>[0] &
  Parameters<typeof offerRoutes>[0] &
  Parameters<typeof webhookRoutes>[0] &
  SettleActDeps &
  CheckoutPagesDeps

export const checkoutCalls = [upgradePlan, createPayment, quote, status, payments, payment, setMetadata]

export const checkout: Capability<CheckoutDeps> = {
  name: 'checkout',
  acts: [recheck, accept],
  calls: checkoutCalls,
  routes: (deps) => async (app) => {
    await app.register(offerRoutes(deps))
    await app.register(webhookRoutes(deps))
  },
  jobs: (deps) => [
    {
      name: 'check-due-payments',
      stage: 'find_out',
      everyMs: 10 * SECOND,
      run: () => checkDuePayments(deps, LOOKUPS_A_ROUND),
      oncePerCluster: true,
    },
  ],
  portal: checkoutPages,
}
