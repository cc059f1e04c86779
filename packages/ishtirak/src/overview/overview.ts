// What the readings over all capabilities bring to the service.
import type { Capability } from '../acts/capability.js'
import { MINUTE } from '../core/instant.js'
import { mailOperators, type OperatorMailDeps } from './operator-mail.js'
import { repairInstants } from './repair-instants.sql.js'
import './words.js'

/** Of each kind. More than are written in the moment that a clock is wrong. */
const REPAIRED_A_ROUND = 5_000

export const overview: Capability<OperatorMailDeps> = {
  name: 'overview',
  jobs: (deps) => [
    // A clock that was ahead puts nothing off once it is right.
    {
      name: 'repair-instants',
      stage: 'repair',
      everyMs: MINUTE,
      run: () => repairInstants(deps, REPAIRED_A_ROUND),
    },
    // Operators learn what entered their inbox: at most one mail in 15 minutes.
    {
      name: 'mail-operators',
      stage: 'announce',
      everyMs: MINUTE,
      run: () => mailOperators(deps),
      oncePerCluster: true,
    },
  ],
}
