// What the comparison with the provider's list brings to the service.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import { type ReconcileDeps, reconcileDaily } from './reconcile.js'
import './words.js'

export const compare: Capability<ReconcileDeps> = {
  name: 'compare',
  jobs: (deps) => [
    // Once a day the provider's list is compared with our books, and what only one side has is reported.
    {
      name: 'compare-with-provider',
      stage: 'find_out',
      everyMs: 30 * SECOND,
      run: () => reconcileDaily(deps),
      oncePerCluster: true,
    },
  ],
}
