// What buying by card brings to the service.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import type { SettleDeps } from '../ledger/settle.js'
import { checkDuePayments } from './sweep.js'

/** 5 looks every 10 s are 30 calls a minute: half of what the provider allows, the rest is for people who wait. */
const LOOKS_A_ROUND = 5

export const checkout: Capability<SettleDeps> = {
  name: 'checkout',
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
}
